"""Splits of the generated tasks. Different splits share no town, no row of a schedule and no destination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Split: TypeAlias = Literal["train", "validation", "held-out"]
"""Name of a split. Training uses `train`, the choice of settings `validation`, and the report `held-out`."""
SEEDS: Mapping[Split, int] = {"train": 1, "validation": 2, "held-out": 3}
"""Seed of the tasks of each split."""
