"""The sixteen kinds by name."""

from __future__ import annotations

from typing import Any

from benchmarks.classical.kind import Kind
from benchmarks.classical.kinds import job_shop, meetings

KINDS: dict[str, Kind[Any]] = {each.name: each for each in (job_shop.KIND, meetings.KIND)}
