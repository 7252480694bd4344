"""Prompts of the coordinator and of the executors. An executor plans one day.

Its prompt depends on the kind of the day: departure, stay, transit or return.
"""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

NAMES = ("coordinator.md", "departure.md", "stay.md", "transit.md", "return.md", "day.md", "reject.md", "claimed.md")


def prompt(name: str) -> str:
    """Return the text of a prompt file of this package, such as `day.md`."""
    return files("planspec.families.travelplanner.himap.prompts").joinpath(name).read_text("utf-8").strip()


def prompt_hashes() -> dict[str, str]:
    """Return the SHA-256 hash of each prompt file, keyed by the file's name."""
    folder = files("planspec.families.travelplanner.himap.prompts")
    return {f"himap/{name}": sha256(folder.joinpath(name).read_bytes()).hexdigest() for name in NAMES}
