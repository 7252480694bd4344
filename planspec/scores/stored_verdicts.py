"""Storage of verdicts on many answers with little memory: without details, or as JSON in a temporary file."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Hashable, Iterator
from dataclasses import replace
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import TypeAdapter

from planspec.verifiers.meaning.verdict import Finding, Verdict
from planspec.verifiers.metrics.scored import Scored

Part = TypeVar("Part", bound=Hashable)
MOST_SHARED = 100_000
"""Maximum number of distinct parts that are shared. Further parts are stored separately."""


class SharedParts:
    """Saves memory by replacing equal parts of verdicts by the same object."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, Any] = {}

    def scored(self, scored: Scored) -> Scored:
        """Return an equal scored verdict with shared parts."""
        verdict = scored.verdict
        shared = replace(
            verdict,
            hard=self._one(verdict.hard),
            soft=self._one(verdict.soft),
            findings=self._one(tuple(map(self._one, verdict.findings))),
        )
        return replace(
            scored,
            verdict=shared,
            hard_counts=self._one_mapping(scored.hard_counts),
            labels=self._one_mapping(scored.labels),
        )

    def _one(self, part: Part) -> Part:
        if len(self._parts) >= MOST_SHARED:
            return self._parts.get(part, part)  # type: ignore[no-any-return]
        return self._parts.setdefault(part, part)  # type: ignore[no-any-return]

    def _one_mapping(self, part: Any) -> Any:
        key = tuple((name, type(value), value) for name, value in part.items())
        if len(self._parts) >= MOST_SHARED:
            return self._parts.get(key, part)
        return self._parts.setdefault(key, part)


def without_details(verdict: Verdict) -> Verdict:
    """Return a verdict whose findings have no message, margin or rows, except findings about the plan's shape."""
    return replace(verdict, findings=tuple(map(_brief_finding, verdict.findings)))


def _brief_finding(finding: Finding) -> Finding:
    return finding if finding.level == "shape" else finding.with_details("", None, None)


class VerdictSpool:
    """Complete verdicts, stored as JSON in a temporary file. The file is removed at the end of the `with` block."""

    def __init__(self) -> None:
        self._file = TemporaryFile("w+b")  # noqa: SIM115 closed by `__exit__`
        self._starts = array("q")
        self._adapters: dict[str, TypeAdapter[Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, at: int, verdict: Verdict) -> None:
        """Store the verdict on the answer with index `at`."""
        while len(self._starts) <= at:
            self._starts.append(-1)
        kind = type(verdict)
        if kind.__qualname__ not in self._adapters:
            self._adapters[kind.__qualname__] = TypeAdapter(kind)
        data = self._adapters[kind.__qualname__].dump_json(verdict)
        self._starts[at] = self._file.seek(0, os.SEEK_END)
        self._file.write(data + b"\n")

    def __iter__(self) -> Iterator[Any]:
        """Yield the stored verdicts as JSON objects, in order."""
        for start in self._starts:
            if start != -1:
                self._file.seek(start)
                yield json.loads(self._file.readline())
