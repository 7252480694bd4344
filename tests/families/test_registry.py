"""A family is looked up by its name, and its parts are loaded on demand."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planspec.family import registry
from planspec.family.descriptor import BrokenFamilyError, Family, Lazy
from planspec.family.registry import (
    GENERIC,
    GROUP,
    SHIPPED,
    UnknownFamilyError,
    families,
    family_of,
    find,
    names,
)
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.metrics.generic import GenericMetrics
from tests.paths import ROOT

PROVIDED = Family(name="installed", title="Of another distribution")
MISNAMED = Family(name="other")
MISSPELLED = Family(name="misspelled", parts={"setings": {}})


def entry(name: str, attribute: str, distribution: str = "its-own") -> EntryPoint:
    """Return the entry point of a family in another distribution."""
    result = EntryPoint(name, f"{__name__}:{attribute}", GROUP)
    vars(result).update(dist=SimpleNamespace(name=distribution))
    return result


@pytest.fixture
def other_entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """Yield a list that replaces the entry points of other distributions. A test fills the list before it looks up
    a family.
    """
    result: list[EntryPoint] = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: EntryPoints(result).select(group=group))
    registry._external_families.cache_clear()
    yield result
    registry._external_families.cache_clear()


def references(family: Family) -> list[Lazy[Any]]:
    """Return all parts of a family that are loaded on demand."""
    return [part for each in fields(family) for part in references_in(getattr(family, each.name))]


def references_in(value: object) -> list[Lazy[Any]]:
    if isinstance(value, dict):
        return [reference for part in value.values() for reference in references_in(part)]
    return [value] if isinstance(value, Lazy) else []


def declared_parts() -> list[str]:
    """Return the names of the parts that modules of planspec declare, by `Part("name", ...)`."""
    return sorted(
        node.args[0].value
        for path in (ROOT / "planspec").rglob("*.py")
        if not any(folder.is_symlink() for folder in path.parents)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Part"
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    )


@pytest.mark.slow
def test_each_part_that_a_family_may_have_is_declared_once_and_listed() -> None:
    assert declared_parts() == sorted(registry.PARTS)


def test_shipped_families_have_no_unknown_part() -> None:
    assert all(family.parts.keys() <= registry.PARTS for family in families())


def test_an_unknown_part_is_refused_with_a_similar_name(other_entry_points: list[EntryPoint]) -> None:
    other_entry_points.append(entry("misspelled", "MISSPELLED"))
    with pytest.raises(BrokenFamilyError, match="nothing uses a part `setings`; did you mean `settings`"):
        find("misspelled")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_reference_of_a_shipped_family_can_be_loaded(name: str) -> None:
    family = family_of(name)
    assert family.name == name and family.title
    assert all(reference.load() is not None for reference in references(family))
    assert all(f"`{name}`" in reference.owner for reference in references(family))


def test_a_task_without_a_family_has_tables_and_general_metrics() -> None:
    assert family_of(None) is family_of("generic") is GENERIC
    assert GENERIC.format.load() is TABLES
    assert GENERIC.metrics.load() is GenericMetrics


def test_missing_parts_of_a_family_default_to_the_parts_of_tasks_without_a_family() -> None:
    assert PROVIDED.format.load() is TABLES
    assert PROVIDED.metrics.load() is GenericMetrics
    assert PROVIDED.official is None


def test_an_unknown_family_is_refused_with_the_available_ones() -> None:
    assert find("worldtravle") is None
    with pytest.raises(UnknownFamilyError, match=r"`worldtravle`; there are generic, .*veritrip, worldtravel"):
        family_of("worldtravle")


def test_another_distribution_can_provide_a_family(other_entry_points: list[EntryPoint]) -> None:
    other_entry_points.append(entry("installed", "PROVIDED"))
    assert find("installed") is PROVIDED
    assert names() == [*SHIPPED, "installed"]
    assert PROVIDED in families()


def test_shipped_families_are_found_without_a_search_for_other_distributions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise AssertionError("it looked")

    monkeypatch.setattr(registry, "_external_families", refuse)
    assert all(find(name) is not None for name in (*SHIPPED, None))


def test_two_distributions_that_provide_the_same_family_are_both_named(other_entry_points: list[EntryPoint]) -> None:
    other_entry_points += [entry("installed", "PROVIDED", "one"), entry("installed", "PROVIDED", "two")]
    with pytest.raises(BrokenFamilyError, match="`installed`: one and two; uninstall one"):
        find("installed")


def test_a_distribution_cannot_replace_a_shipped_family(other_entry_points: list[EntryPoint]) -> None:
    other_entry_points.append(entry("worldtravel", "PROVIDED", "one"))
    with pytest.raises(BrokenFamilyError, match="`worldtravel`: planspec and one"):
        names()


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("MISNAMED", "the family `installed` of its-own: `.*:MISNAMED` is no `Family` of that name"),
        ("TABLES", "the family `installed` of its-own: `.*:TABLES` is no `Family` of that name"),
        (
            "ABSENT",
            "the family `installed` of its-own: `.*:ABSENT` cannot be loaded: .*no attribute 'ABSENT'",
        ),
    ],
)
def test_a_distribution_without_the_promised_family_is_named(
    attribute: str, message: str, other_entry_points: list[EntryPoint]
) -> None:
    other_entry_points.append(entry("installed", attribute))
    with pytest.raises(BrokenFamilyError, match=message):
        find("installed")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("planspec.nowhere:FORMAT", "No module named 'planspec.nowhere'"),
        ("planspec.family.descriptor:FORMAT", "no attribute 'FORMAT'"),
        ("not a name", "invalid"),
    ],
)
def test_a_bad_reference_is_reported_with_its_family_and_field(reference: str, message: str) -> None:
    family = Family(name="tiny", format=Lazy(reference))
    with pytest.raises(
        BrokenFamilyError, match=f"the family `tiny`, `format`: `{reference}` cannot be loaded: .*{message}"
    ):
        family.format.load()


def test_a_missing_package_is_not_reported_as_a_fault_of_the_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_more.py").write_text("import surely_not_installed\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError) as raised:
        Family(name="tiny", format=Lazy("needs_more:FORMAT")).format.load()
    assert raised.value.name == "surely_not_installed"


def test_descriptors_do_not_load_their_references() -> None:
    """Loading a descriptor loads no package outside `planspec`."""
    program = (
        "import sys\n"
        "from planspec.family.registry import families\n"
        "families()\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('planspec', 'pydantic'))))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    packages = {f"planspec.families.{folder.split('.')[2]}" for folder in SHIPPED.values()}
    assert set(result.stdout.split()) == {
        "planspec",
        "planspec.deprecation",
        "planspec.errors",
        "planspec.families",
        "planspec.family",
        "planspec.family.descriptor",
        "planspec.family.registry",
        *packages,
        *(f"{package}.descriptor" for package in packages),
    }
