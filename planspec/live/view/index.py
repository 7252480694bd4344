"""A run's attempts as a page lists them: read from the file as it grows, a short row for each, with the place of its line."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from planspec.caches import cache_home, sealed, unsealed
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_bytes
from planspec.files import replace_bytes
from planspec.runs import chain
from planspec.runs.folder import RunFolder
from planspec.runs.record import STATUSES, Attempt

FIRST = 200
"""Rows that are told first, so that there is something to look at."""
WORTH_KEEPING = 1_000
"""Further rows for which an index is kept again."""
INDEX_BYTES = 500_000_000
TAIL = 65_536
"""Bytes before the place of an index by which it is known that the file still begins so."""
FORMAT = "2"
Row = list[Any]
"""`[task, repeat, status, hard, of hard, soft, of soft, rules, boundary, seconds, usd, tokens, calls, turns, offset, retry]`.

Task, rules and boundary are places in the lists of their names, the boundary -1 of an attempt with an answer; the status is a place in
`STATUSES`. What nobody counted is null.
"""


@dataclass(slots=True)
class _Names:
    """Names by their places, each once."""

    places: dict[str, int] = field(default_factory=dict)
    told: int = 0

    def place(self, name: str) -> int:
        return self.places.setdefault(name, len(self.places))

    def fresh(self) -> list[str]:
        """Those that were not told yet."""
        names = list(self.places)[self.told :]
        self.told = len(self.places)
        return names


@dataclass(slots=True)
class Batch:
    """What is new in a run.

    Attributes:
        rows: of further attempts.
        tasks: names of tasks that were not told before, likewise `rules` and `boundaries`. A rule is told as `level kind id`,
            where a constraint without a kind is one by itself.
        broken: why no more of the file can be trusted.
    """

    rows: list[Row]
    tasks: list[str]
    rules: list[str]
    boundaries: list[str]
    broken: str | None = None

    @property
    def empty(self) -> bool:
        """There is nothing new."""
        return not self.rows and self.broken is None


class RunIndex:
    """Reads a run's attempts on from where it stopped.

    Lines that were sealed are checked, as everywhere. What was read is kept in the user's folder for caches, so that a long run is opened at
    once the next time: its lines are checked once.

    Args:
        folder: of the run.

    Raises:
        InvalidRunError: it is no run.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.run = folder.read_header()
        self._seal = chain.first_seal(folder.header_file.read_bytes())
        self._offset = 0
        self._line = 0
        self._tasks, self._rules, self._boundaries = _Names(), _Names(), _Names()
        self._broken = False
        self._rows: list[Row] = []
        self._kept = 0

    def batches(self, most: int) -> Iterator[Batch]:
        """What the file has beyond what was read, in parts.

        Args:
            most: rows of a part.
        """
        if self._offset == 0:
            yield from self._restored(most)
        if self._broken:
            return
        rows: list[Row] = []
        broken: str | None = None
        with suppress(FileNotFoundError), open_regular(self.folder.attempts_file, sys.maxsize) as file:
            file.seek(self._offset)
            for line in iter(partial(file.readline, RECORDS_BYTES), b""):
                if not line.endswith(b"\n"):  # it is being written
                    break
                broken = self._fault(line[:-1])
                if broken is None:
                    try:
                        rows.append(self._row(json.loads(line), self._offset))
                    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                        broken = f"line {self._line + 1} is no attempt"
                if broken is not None:
                    self._broken = True
                    break
                self._offset += len(line)
                self._line += 1
                if len(rows) == (most if self._rows else FIRST):
                    yield self._batch(rows)
                    rows = []
        if rows or broken is not None:
            yield self._batch(rows, broken)
        if len(self._rows) >= self._kept + WORTH_KEEPING:
            self._keep()

    def _restored(self, most: int) -> Iterator[Batch]:
        """What was read at another time, if the file still begins with that."""
        place = self._place()
        if place is None:
            return
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(unsealed(read_bytes(place, INDEX_BYTES)) or b"")
            if kept["by"] != self._by() or kept["tail"] != self._tail(kept["offset"]):
                return
            self._offset, self._line, self._seal = kept["offset"], kept["line"], kept["seal"]
            for names, told in (
                (self._tasks, "tasks"),
                (self._rules, "rules"),
                (self._boundaries, "boundaries"),
            ):
                for name in kept[told]:
                    names.place(name)
            rows: list[Row] = kept["rows"]
            self._kept = len(rows)
            for begin in range(0, len(rows), most):
                yield self._batch(rows[begin : begin + most])

    def _keep(self) -> None:
        place = self._place()
        if place is None:
            return
        kept = {
            "by": self._by(), "tail": self._tail(self._offset), "offset": self._offset, "line": self._line, "seal": self._seal,
            "tasks": list(self._tasks.places), "rules": list(self._rules.places), "boundaries": list(self._boundaries.places), "rows": self._rows,
        }  # fmt: skip
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            replace_bytes(place, sealed(json.dumps(kept, separators=(",", ":")).encode()))
            self._kept = len(self._rows)

    def _place(self) -> Path | None:
        home = cache_home()
        name = hashlib.sha256(str(self.folder.path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return None if home is None else home / "views" / f"{name}.json"

    def _by(self) -> list[str]:
        """Of which planspec and of which run an index is."""
        return [version("planspec"), FORMAT, chain.first_seal(self.folder.header_file.read_bytes())]

    def _tail(self, offset: int) -> str:
        """The hash of what stands before a place of the file.

        Raises:
            OSError: it cannot be read.
        """
        with open_regular(self.folder.attempts_file, sys.maxsize) as file:
            file.seek(max(0, offset - TAIL))
            return hashlib.sha256(file.read(min(offset, TAIL))).hexdigest()

    def attempt(self, offset: int) -> Attempt:
        """The attempt whose line begins at a place.

        Raises:
            ValueError: none does.
        """
        with open_regular(self.folder.attempts_file, sys.maxsize) as file:
            file.seek(offset)
            return Attempt.model_validate(json.loads(file.readline(RECORDS_BYTES)))

    def _batch(self, rows: list[Row], broken: str | None = None) -> Batch:
        self._rows += rows
        return Batch(rows, self._tasks.fresh(), self._rules.fresh(), self._boundaries.fresh(), broken)

    def _fault(self, line: bytes) -> str | None:
        """Why a line is not as it was written."""
        seal = chain.seal_of(line)
        if self.run.chained and not chain.is_valid(line, self._seal):
            return f"line {self._line + 1} is not as it was sealed, or one before it is not; nothing from there on can be trusted"
        self._seal = seal or self._seal
        return None

    def _row(self, made: dict[str, Any], offset: int) -> Row:
        verdict, trace = made["verdict"], made["trace"]
        failure = made.get("failure")
        hard, soft = verdict["hard"], verdict["soft"]
        tokens = trace.get("tokens") or []
        out = [part.get("output") for part in tokens]
        rules = [
            self._rules.place(f"{finding['level']} {_kind(finding)} {finding['constraint']}")
            for finding in verdict.get("findings", ())
            if finding["status"] == "violated"
        ]
        calls = sum((call.get("extra") or {}).get("own") is not True for call in trace.get("calls", ()))
        return [
            self._tasks.place(made["task"]), made["repeat"], STATUSES.index(verdict["status"]), hard["satisfied"], hard["total"],
            soft["satisfied"], soft["total"], rules, -1 if failure is None else self._boundaries.place(failure["boundary"]),
            round(made["seconds"], 3), made.get("usd"), sum(out) if out and None not in out else None, calls,
            len(made.get("turns", ())), offset, made.get("retry", 0),
        ]  # fmt: skip


def _kind(finding: Mapping[str, Any]) -> str:
    """The kind of a violated constraint, or its name; `-` of what is wrong with an answer's shape."""
    if (kind := finding.get("kind")) is not None:
        return str(kind)
    return "-" if finding["level"] == "shape" else str(finding["constraint"].partition("[")[0])
