"""Writing of verdicts on many answers to JSON Lines or a Parquet table, one verdict at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from planspec.errors import UnsuitableAnswersError
from planspec.files import building, replacing
from planspec.scores.answer_lines import BATCH_ROWS, NO_PARQUET, PARQUET
from planspec.scores.sample_verdicts import SampleVerdict

WriteVerdict: TypeAlias = Callable[[SampleVerdict, "int | None"], None]
"""Function that writes a verdict. The second argument is the number of the answer, or None if unknown."""


@contextmanager
def verdict_file(path: Path | None) -> Iterator[WriteVerdict]:
    """Yield a function that writes verdicts to a file. The file replaces `path` at the end.

    If `path` is None, verdicts are discarded.

    Raises:
        UnsuitableAnswersError: the file is a Parquet table, and its extra is not installed.
        OSError: the file cannot be written.
    """
    if path is None:
        yield lambda verdict, sample: None  # noqa: ARG005
    elif path.suffix == PARQUET:
        with _parquet_file(path) as write:
            yield write
    else:
        with replacing(path) as file:
            yield lambda verdict, sample: _discard(
                file.write(json.dumps(_verdict_record(verdict, sample), ensure_ascii=False).encode() + b"\n")
            )


def _discard(_: int) -> None: ...


def _verdict_record(verdict: SampleVerdict, sample: int | None) -> dict[str, Any]:
    """Return a verdict as a JSON object."""
    return {
        "task": verdict.task,
        "sample": sample,
        "line": verdict.line_number,
        "status": verdict.status,
        "hard": {"satisfied": verdict.hard.satisfied, "total": verdict.hard.total},
        "soft": {"satisfied": verdict.soft.satisfied, "total": verdict.soft.total},
        "plan": None if verdict.plan is None else verdict.plan.hex(),
        "violated": verdict.violated,
        "unread": verdict.unread,
        "reason": verdict.reason,
        **(verdict.document or {}),
    }


@contextmanager
def _parquet_file(path: Path) -> Iterator[WriteVerdict]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise UnsuitableAnswersError(f"`{path}`: {NO_PARQUET}") from None
    text, whole = pa.string(), pa.int64()
    schema = pa.schema(
        [
            ("task", text),
            ("sample", whole),
            ("line", whole),
            ("status", text),
            ("hard_satisfied", whole),
            ("hard_total", whole),
            ("soft_satisfied", whole),
            ("soft_total", whole),
            ("plan", text),
            ("violated", pa.list_(text)),
            ("unread", whole),
            ("reason", text),
            ("verdict", text),
        ]
    )
    rows: list[dict[str, Any]] = []
    with building(path) as part, parquet.ParquetWriter(part, schema) as writer:

        def flush() -> None:
            writer.write_table(pa.Table.from_pylist(rows, schema))
            rows.clear()

        def write(verdict: SampleVerdict, sample: int | None) -> None:
            row = _verdict_record(verdict, sample)
            for level in ("hard", "soft"):
                tally = row.pop(level)
                row |= {f"{level}_{name}": count for name, count in tally.items()}
            document = verdict.document
            row["verdict"] = None if document is None else json.dumps(document, ensure_ascii=False)
            rows.append(row)
            if len(rows) == BATCH_ROWS:
                flush()

        yield write
        flush()
