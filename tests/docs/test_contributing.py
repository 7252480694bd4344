"""The guide for contributors describes the house as the contracts hold it."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.paths import ROOT

GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
    "contracts"
]


def rooms(folder: str) -> list[str]:
    """The rooms of a folder, from the top, as the guide's table has them."""
    row = re.search(rf"^\| `{folder}/` \|[^|]*\|([^|]*)\|$", GUIDE, flags=re.MULTILINE)
    assert row is not None
    return re.findall(r"`([\w.]+)`", row[1])


@pytest.mark.parametrize("folder", ["dsl", "solvers", "verifiers"])
def test_the_rooms_of_a_package_stand_in_the_order_of_its_layers(folder: str) -> None:
    contract = next(c for c in CONTRACTS if c.get("containers") == [f"planspec.{folder}"])
    assert rooms(folder) == [room for layer in contract["layers"] for room in layer.split(" | ")]


def test_the_rooms_of_planspec_stand_in_the_order_of_the_layers() -> None:
    contract = next(c for c in CONTRACTS if c["id"] == "layers")
    layers = [room for layer in contract["layers"] for room in re.findall(r"\(planspec\.(\w+)\)", layer)]
    assert rooms("planspec") == layers
