"""The families: those that ship, one row each, and those that other distributions bring."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from planspec.errors import PlanspecError
from planspec.families.family import BrokenFamilyError, Family, Lazy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "planspec.families"
"""The entry-point group in which other distributions name a `Family` for each family that they bring."""
GENERIC = Family(name="generic", title="Tasks without a family")
"""The parts that tasks without a family have."""
SHIPPED: Mapping[str, str] = {
    "worldtravel": "planspec.families.worldtravel.descriptor:FAMILY",
    "travelplanner": "planspec.families.travelplanner.descriptor:FAMILY",
    "flextravel": "planspec.families.travelplanner.descriptor:CONVERSATIONS",
    "veritrip": "planspec.families.veritrip.descriptor:FAMILY",
    "mobilitybench": "planspec.families.mobilitybench.descriptor:FAMILY",
}
"""Where the descriptors of the families that ship stand, in the order in which people are shown them."""


class UnknownFamilyError(PlanspecError, LookupError):
    """No family that is installed has the name."""


def find(name: str | None) -> Family | None:
    """The family of a name; None if there is none. No other shipped family is loaded.

    Raises:
        BrokenFamilyError: two distributions bring it, or the one that does brings no `Family` of that name.
    """
    if name is None or name == GENERIC.name:
        return GENERIC
    if name in SHIPPED:
        return _load(name, SHIPPED[name], "planspec")
    brought = _brought()
    return _load(name, brought[name].value, _whose(brought[name])) if name in brought else None


def family_of(name: str | None) -> Family:
    """The family of a task or suite.

    Args:
        name: `Task.family`; None for what tasks without a family have.

    Raises:
        UnknownFamilyError: nothing that is installed brings it.
        BrokenFamilyError: see `find`.
    """
    found = find(name)
    if found is None:
        raise UnknownFamilyError(
            f"no family is called `{name}`; there are {', '.join([GENERIC.name, *sorted(names())])}"
        )
    return found


def names() -> list[str]:
    """The names of all families that are installed, those that ship first.

    Raises:
        BrokenFamilyError: two distributions bring one of the same name.
    """
    return [*SHIPPED, *sorted(_brought())]


def families() -> list[Family]:
    """All families that are installed, in the order of `names`.

    Raises:
        BrokenFamilyError: see `find`.
    """
    return [family_of(name) for name in names()]


@cache
def _brought() -> Mapping[str, EntryPoint]:
    """The families of other distributions, by name."""
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        other = (
            "planspec"
            if entry.name in SHIPPED
            else _whose(found[entry.name])
            if entry.name in found
            else None
        )
        if other is not None:
            raise BrokenFamilyError(
                f"two distributions bring the family `{entry.name}`: {other} and {_whose(entry)}; uninstall one of them"
            )
        found[entry.name] = entry
    return found


def _whose(entry: EntryPoint) -> str:
    return "an unnamed distribution" if entry.dist is None else entry.dist.name


def _load(name: str, value: str, distribution: str) -> Family:
    reference: Lazy[object] = Lazy(value, f"the family `{name}` of {distribution}")
    found = reference.load()
    if not isinstance(found, Family) or found.name != name:
        raise BrokenFamilyError(
            f"the family `{name}` of {distribution}: `{value}` is no `Family` of that name"
        )
    return found
