"""The guide for contributors agrees with the import contracts."""

from __future__ import annotations

import re
import tomllib

import pytest

from planspec.family.descriptor import Family
from planspec.family.registry import GENERIC, families
from planspec.verifiers.metrics.metric import declared_metrics
from tests.paths import ROOT

GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATH = re.compile(r"`((?:dsl|verifiers|solvers|planspec|tasks|tests|docs)/[\w./-]+)`")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def layers_in_guide(folder: str) -> list[str]:
    """Return the layers of a package in the guide's table, from the highest to the lowest."""
    row = re.search(rf"^\| `{folder}/` \|[^|]*\|([^|]*)\|$", GUIDE, flags=re.MULTILINE)
    assert row is not None
    return re.findall(r"`([\w.]+)`", row[1])


@pytest.mark.parametrize("folder", ["dsl", "solvers", "verifiers"])
def test_the_guide_lists_the_layers_of_a_package_in_the_order_of_its_contract(folder: str) -> None:
    contract = next(c for c in CONTRACTS if c.get("containers") == [f"planspec.{folder}"])
    assert layers_in_guide(folder) == [name for layer in contract["layers"] for name in layer.split(" | ")]


def test_the_guide_lists_the_layers_of_planspec_in_the_order_of_the_contract() -> None:
    contract = next(c for c in CONTRACTS if c["id"] == "layers")
    layers = [name for layer in contract["layers"] for name in re.findall(r"\(planspec\.(\w+)\)", layer)]
    assert layers_in_guide("planspec") == layers


def test_every_file_and_folder_that_the_guide_names_exists() -> None:
    named = PATH.findall(GUIDE)
    assert len(named) > 50
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("family", [GENERIC, *families()], ids=lambda family: family.name)
def test_every_metric_is_documented_on_the_page_of_answers_or_of_its_family(family: Family) -> None:
    pages = [ROOT / "docs" / "answers.md", ROOT / "docs" / f"{family.name}.md"]
    text = "".join(page.read_text(encoding="utf-8") for page in pages if page.exists())
    names = {name.partition(".")[0] for name in declared_metrics(family.metrics.load())}
    assert sorted(name for name in names if f"`{name}`" not in text) == []
