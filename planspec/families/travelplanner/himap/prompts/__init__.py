"""The prompts of a model's two roles, the executor's by the kind of its day: texts in files, each with a hash that is recorded."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

NAMES = ("coordinator.md", "departure.md", "stay.md", "transit.md", "return.md", "day.md")


def prompt(name: str) -> str:
    """The text of a prompt."""
    return files("planspec.families.travelplanner.himap.prompts").joinpath(name).read_text("utf-8").strip()


def hashes() -> dict[str, str]:
    """The SHA-256 of the prompts' files, by name."""
    folder = files("planspec.families.travelplanner.himap.prompts")
    return {f"himap/{name}": sha256(folder.joinpath(name).read_bytes()).hexdigest() for name in NAMES}
