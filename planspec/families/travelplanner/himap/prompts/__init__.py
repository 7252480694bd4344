"""The prompts of a model's two roles; an executor's depends on the kind of its day."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

NAMES = ("coordinator.md", "departure.md", "stay.md", "transit.md", "return.md", "day.md")


def prompt(name: str) -> str:
    """Return the text of a prompt."""
    return files("planspec.families.travelplanner.himap.prompts").joinpath(name).read_text("utf-8").strip()


def hashes() -> dict[str, str]:
    """Return the SHA-256 of the prompts' files, by name."""
    folder = files("planspec.families.travelplanner.himap.prompts")
    return {f"himap/{name}": sha256(folder.joinpath(name).read_bytes()).hexdigest() for name in NAMES}
