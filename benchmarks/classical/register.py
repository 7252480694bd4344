"""The sixteen kinds by name."""

from __future__ import annotations

from typing import Any

from benchmarks.classical.kind import Kind
from benchmarks.classical.kinds import (
    assignment,
    cars,
    curriculum,
    golfers,
    job_shop,
    knapsack,
    meetings,
    nonogram,
    nurses,
    packing,
    projects,
    rounds,
    ruler,
    square,
    stacks,
    vans,
)

MODULES = (
    job_shop,
    projects,
    meetings,
    nurses,
    cars,
    nonogram,
    stacks,
    golfers,
    ruler,
    square,
    curriculum,
    knapsack,
    packing,
    assignment,
    rounds,
    vans,
)
KINDS: dict[str, Kind[Any]] = {module.KIND.name: module.KIND for module in MODULES}
