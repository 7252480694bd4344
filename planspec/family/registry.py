"""The registry of installed families: families that ship with planspec, and families from other distributions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from planspec.errors import PlanspecError
from planspec.family.descriptor import BrokenFamilyError, Family, Lazy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "planspec.families"
"""Entry-point group in which other distributions register a `Family` for each of their families."""
GENERIC = Family(name="generic", title="Tasks without a family")
"""Descriptor used for tasks without a family."""
SHIPPED: Mapping[str, str] = {
    "worldtravel": "planspec.families.worldtravel.descriptor:FAMILY",
    "travelplanner": "planspec.families.travelplanner.descriptor:FAMILY",
    "flextravel": "planspec.families.travelplanner.descriptor:CONVERSATIONS",
    "veritrip": "planspec.families.veritrip.descriptor:FAMILY",
    "mobilitybench": "planspec.families.mobilitybench.descriptor:FAMILY",
}
"""References to the descriptors of the shipped families by name, in display order."""

PARTS = frozenset(
    {
        "agents",
        "better",
        "counts",
        "credit",
        "evidence",
        "generators",
        "greedy",
        "importers",
        "inspect_setting",
        "inspect_suite",
        "measures",
        "monitor_calls",
        "perform",
        "refusal_codes",
        "route_tables",
        "run_tables",
        "schemas",
        "settings",
        "site",
        "submission",
        "table",
        "trace_form",
        "trace_metrics",
    }
)
"""Names of the parts declared in planspec. Names declared by other distributions contain a dot."""


class UnknownFamilyError(PlanspecError, LookupError):
    """No installed family has the name."""


def find(name: str | None) -> Family | None:
    """Return the family with a name; None if there is none. Only this family is loaded.

    Raises:
        BrokenFamilyError: two distributions provide the family, or it cannot be loaded.
    """
    if name is None or name == GENERIC.name:
        return GENERIC
    if name in SHIPPED:
        return _load_family(name, SHIPPED[name], "planspec")
    entries = _external_families()
    return _load_family(name, entries[name].value, _distribution_name(entries[name])) if name in entries else None


def reference_of(name: str | None) -> str | None:
    """Return the reference to a family's descriptor, `package.module:attribute`; None for tasks without a family.

    Raises:
        BrokenFamilyError: two distributions provide a family of the same name.
    """
    if name is None or name == GENERIC.name:
        return None
    return SHIPPED[name] if name in SHIPPED else _external_families()[name].value


def family_of(name: str | None) -> Family:
    """Return the family of a task or suite.

    Args:
        name: name of the family, as in `Task.family`; None for a task without a family.

    Raises:
        UnknownFamilyError: no installed distribution provides the family.
        BrokenFamilyError: see `find`.
    """
    family = find(name)
    if family is None:
        raise UnknownFamilyError(
            f"no family is called `{name}`; there are {', '.join([GENERIC.name, *sorted(names())])}"
        )
    return family


def names() -> list[str]:
    """Return the names of all installed families, shipped ones first.

    Raises:
        BrokenFamilyError: two distributions provide a family of the same name.
    """
    return [*SHIPPED, *sorted(_external_families())]


def families() -> list[Family]:
    """Return all installed families, in the order of `names`.

    Raises:
        BrokenFamilyError: see `find`.
    """
    return [family_of(name) for name in names()]


@cache
def _external_families() -> Mapping[str, EntryPoint]:
    """Return the families of other distributions, by name."""
    from importlib.metadata import entry_points  # slow to import and seldom needed

    entries: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        other = (
            "planspec"
            if entry.name in SHIPPED
            else _distribution_name(entries[entry.name])
            if entry.name in entries
            else None
        )
        if other is not None:
            raise BrokenFamilyError(
                f"two distributions bring the family `{entry.name}`: {other} and {_distribution_name(entry)}; uninstall one of them"
            )
        entries[entry.name] = entry
    return entries


def _distribution_name(entry: EntryPoint) -> str:
    return "an unnamed distribution" if entry.dist is None else entry.dist.name


def _load_family(name: str, value: str, distribution: str) -> Family:
    reference: Lazy[object] = Lazy(value, f"the family `{name}` of {distribution}")
    family = reference.load()
    if not isinstance(family, Family) or family.name != name:
        raise BrokenFamilyError(f"the family `{name}` of {distribution}: `{value}` is no `Family` of that name")
    for part in family.parts:
        if part not in PARTS and "." not in part:
            from planspec.dsl.diagnostics.suggestions import did_you_mean  # slow to import and seldom needed

            close = did_you_mean(part, PARTS)
            raise BrokenFamilyError(
                f"the family `{name}` of {distribution}: nothing uses a part `{part}`{f'; {close}' if close else ''}"
            )
    return family
