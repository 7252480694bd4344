"""Index of a run's attempts that grows with the run. It has a row, with the offset of the line, for each attempt."""

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

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_bytes
from planspec.files import add_checksum, cache_home, replace_bytes, strip_checksum
from planspec.runs import chain
from planspec.runs.folder import RunFolder
from planspec.runs.record import STATUSES, Attempt

FIRST_BATCH_ROWS = 200
"""Number of rows in the first batch. A small number makes the page show something early."""
ROWS_BETWEEN_STORES = 1_000
"""Number of new rows after which the index is written to the cache folder again."""
INDEX_BYTES = 500_000_000
TAIL_BYTES = 65_536
"""Number of bytes at the end of the indexed part that are hashed to detect changes of the file."""
FORMAT = "2"
Row = list[Any]
"""Row of an attempt, as a list.

The entries are `[task, repeat, status, hard, of hard, soft, of soft, rules, boundary, seconds, usd, tokens, calls,
turns, offset, retry]`.

Task, rules and boundary are indices into lists of names. The boundary is -1 for an attempt with an answer. The status
is an index into `STATUSES`. `hard` and `of hard` are the numbers of satisfied and of all hard constraints. Numbers that
were not recorded are null.
"""


@dataclass(slots=True)
class _NumberedNames:
    """Distinct names, numbered in order of first use.

    Attributes:
        indices: number of each name, from 0.
        sent: number of names that `take_unsent` has returned.
    """

    indices: dict[str, int] = field(default_factory=dict)
    sent: int = 0

    def index_of(self, name: str) -> int:
        return self.indices.setdefault(name, len(self.indices))

    def take_unsent(self) -> list[str]:
        """Return the names added since the last call."""
        names = list(self.indices)[self.sent :]
        self.sent = len(self.indices)
        return names


@dataclass(slots=True)
class Batch:
    """New rows of a run.

    Attributes:
        rows: rows of new attempts.
        tasks: names of tasks that are not in earlier batches.
        rules: rules that are not in earlier batches, as `level kind id`. For a rule without a kind, the kind is its
            name.
        boundaries: boundaries of failures that are not in earlier batches.
        broken: reason why the rest of the file is invalid, or None.
    """

    rows: list[Row]
    tasks: list[str]
    rules: list[str]
    boundaries: list[str]
    broken: str | None = None


class RunIndex:
    """Incremental reader of a run's attempts.

    The hash chain of the lines is checked. The index is stored in planspec's cache folder, so that a long run opens
    faster the next time.

    Args:
        folder: folder of the run.

    Raises:
        InvalidRunError: the folder is not a run.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.run = folder.read_header()
        self._seal = chain.first_seal(folder.header_file.read_bytes())
        self._offset = 0
        self._line = 0
        self._tasks, self._rules, self._boundaries = _NumberedNames(), _NumberedNames(), _NumberedNames()
        self._broken = False
        self._rows: list[Row] = []
        self._stored_count = 0

    def batches(self, max_rows: int) -> Iterator[Batch]:
        """Yield new attempts since the last call, in batches.

        Args:
            max_rows: maximum number of rows in a batch.
        """
        if self._offset == 0:
            yield from self._restore(max_rows)
        if self._broken:
            return
        rows: list[Row] = []
        broken: str | None = None
        with suppress(FileNotFoundError), open_regular(self.folder.attempts_file, sys.maxsize) as file:
            file.seek(self._offset)
            for line in iter(partial(file.readline, RECORDS_BYTES), b""):
                if not line.endswith(b"\n"):  # the line is incomplete and still being written
                    break
                broken = self._seal_fault(line[:-1])
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
                if len(rows) == (max_rows if self._rows else FIRST_BATCH_ROWS):
                    yield self._batch(rows)
                    rows = []
        if rows or broken is not None:
            yield self._batch(rows, broken)
        if len(self._rows) >= self._stored_count + ROWS_BETWEEN_STORES:
            self._store()

    def _restore(self, max_rows: int) -> Iterator[Batch]:
        """Yield the batches of the stored index; nothing if the run has changed since."""
        path = self._index_file()
        if path is None:
            return
        with suppress(OSError, ValueError, KeyError, TypeError):
            stored = json.loads(strip_checksum(read_bytes(path, INDEX_BYTES)) or b"")
            if stored["by"] != self._cache_key() or stored["tail"] != self._tail_hash(stored["offset"]):
                return
            self._offset, self._line, self._seal = stored["offset"], stored["line"], stored["seal"]
            for names, key in (
                (self._tasks, "tasks"),
                (self._rules, "rules"),
                (self._boundaries, "boundaries"),
            ):
                for name in stored[key]:
                    names.index_of(name)
            rows: list[Row] = stored["rows"]
            self._stored_count = len(rows)
            for begin in range(0, len(rows), max_rows):
                yield self._batch(rows[begin : begin + max_rows])

    def _store(self) -> None:
        path = self._index_file()
        if path is None:
            return
        stored = {
            "by": self._cache_key(),
            "tail": self._tail_hash(self._offset),
            "offset": self._offset,
            "line": self._line,
            "seal": self._seal,
            "tasks": list(self._tasks.indices),
            "rules": list(self._rules.indices),
            "boundaries": list(self._boundaries.indices),
            "rows": self._rows,
        }
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_bytes(path, add_checksum(json.dumps(stored, separators=(",", ":")).encode()))
            self._stored_count = len(self._rows)

    def _index_file(self) -> Path | None:
        home = cache_home()
        name = hashlib.sha256(str(self.folder.path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return None if home is None else home / "views" / f"{name}.json"

    def _cache_key(self) -> list[str]:
        """Return versions and the hash of the run's header. A stored index with another key is not used."""
        return [version("planspec"), FORMAT, chain.first_seal(self.folder.header_file.read_bytes())]

    def _tail_hash(self, offset: int) -> str:
        """Return the hash of the last bytes before an offset.

        Raises:
            OSError: the file cannot be read.
        """
        with open_regular(self.folder.attempts_file, sys.maxsize) as file:
            file.seek(max(0, offset - TAIL_BYTES))
            return hashlib.sha256(file.read(min(offset, TAIL_BYTES))).hexdigest()

    def attempt(self, offset: int) -> Attempt:
        """Return the attempt on the line that begins at an offset.

        Raises:
            ValueError: no attempt begins there.
        """
        with open_regular(self.folder.attempts_file, sys.maxsize) as file:
            file.seek(offset)
            return Attempt.model_validate(json.loads(file.readline(RECORDS_BYTES)))

    def _batch(self, rows: list[Row], broken: str | None = None) -> Batch:
        self._rows += rows
        return Batch(rows, self._tasks.take_unsent(), self._rules.take_unsent(), self._boundaries.take_unsent(), broken)

    def _seal_fault(self, line: bytes) -> str | None:
        """Return the reason why the hash in a line is wrong; None if it is right."""
        seal = chain.seal_of(line)
        if self.run.chained and not chain.is_valid(line, self._seal):
            return f"line {self._line + 1} is not as it was sealed, or one before it is not; nothing from there on can be trusted"
        self._seal = seal or self._seal
        return None

    def _row(self, attempt: dict[str, Any], offset: int) -> Row:
        verdict, trace = attempt["verdict"], attempt["trace"]
        failure = attempt.get("failure")
        hard, soft = verdict["hard"], verdict["soft"]
        tokens = trace.get("tokens") or []
        out = [part.get("output") for part in tokens]
        rules = [
            self._rules.index_of(f"{finding['level']} {_rule_kind(finding)} {finding['constraint']}")
            for finding in verdict.get("findings", ())
            if finding["status"] == "violated"
        ]
        calls = sum((call.get("extra") or {}).get("own") is not True for call in trace.get("calls", ()))
        return [
            self._tasks.index_of(attempt["task"]),
            attempt["repeat"],
            STATUSES.index(verdict["status"]),
            hard["satisfied"],
            hard["total"],
            soft["satisfied"],
            soft["total"],
            rules,
            -1 if failure is None else self._boundaries.index_of(failure["boundary"]),
            round(attempt["seconds"], 3),
            attempt.get("usd"),
            sum(out) if out and None not in out else None,
            calls,
            len(attempt.get("turns", ())),
            offset,
            attempt.get("retry", 0),
        ]


def _rule_kind(finding: Mapping[str, Any]) -> str:
    """Return the kind of a violated constraint, or its name if it has no kind; `-` for a fault in the plan's shape."""
    if (kind := finding.get("kind")) is not None:
        return str(kind)
    return "-" if finding["level"] == "shape" else str(finding["constraint"].partition("[")[0])
