"""Writer of rows to a JSON Lines or Parquet file, chosen by the suffix. A file is written completely or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_type_hints

from planspec.exports.conversations import ConversationRow
from planspec.exports.rows import Row
from planspec.extras import needing
from planspec.files import building, replacing

if TYPE_CHECKING:
    import pyarrow as pa

FileRow: TypeAlias = Row | ConversationRow
BATCH_ROWS = 1000
"""Number of rows in a batch of Parquet rows."""


def write_rows(rows: Iterable[FileRow], kind: type[FileRow], path: Path) -> int:
    """Write rows to a file.

    Args:
        rows: rows of one type.
        kind: type of the rows. It determines the columns, even without rows.
        path: path of the file; Parquet if it ends with `.parquet`.

    Returns:
        The number of rows.

    Raises:
        ModuleNotFoundError: the file would be Parquet, and the extra is not installed.
        OSError: the file cannot be written; an existing file is unchanged.
    """
    return _write_parquet(rows, kind, path) if path.suffix == ".parquet" else _write_lines(rows, path)


def _write_lines(rows: Iterable[FileRow], path: Path) -> int:
    count = 0
    with replacing(path) as file:
        for row in rows:
            count += 1
            text = json.dumps(asdict(row), ensure_ascii=False)
            file.write(text.encode("utf-8", "backslashreplace") + b"\n")
    return count


def _write_parquet(rows: Iterable[FileRow], kind: type[FileRow], path: Path) -> int:
    with needing("parquet", "Parquet files need an extra"):
        import pyarrow as pa
        from pyarrow import parquet
    schema, count = _schema(kind), 0
    with building(path) as part, parquet.ParquetWriter(part, schema) as writer:
        for batch in _batches(rows):
            count += len(batch)
            writer.write_table(pa.Table.from_pylist([asdict(row) for row in batch], schema))
    return count


def _batches(rows: Iterable[FileRow]) -> Iterator[list[FileRow]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, BATCH_ROWS)):
        yield batch


def _schema(kind: type[FileRow]) -> pa.Schema:
    import pyarrow as pa

    text = pa.string()
    kinds = {
        str: text,
        str | None: text,
        bool: pa.bool_(),
        int: pa.int64(),
        int | None: pa.int64(),
        float: pa.float64(),
        float | None: pa.float64(),
        list[int] | None: pa.list_(pa.int64()),
        list[float] | None: pa.list_(pa.float64()),
        list[dict[str, str]]: pa.list_(pa.struct([("role", text), ("content", text)])),
        list[dict[str, Any]]: pa.list_(_message_type(text)),
    }
    return pa.schema([(name, kinds[hint]) for name, hint in get_type_hints(kind).items()])


def _message_type(text: pa.DataType) -> pa.StructType:
    """Return the Arrow type of a message, which may have tool calls or the result of a call."""
    import pyarrow as pa

    function = pa.struct([("name", text), ("arguments", text)])
    calls = pa.list_(pa.struct([("id", text), ("type", text), ("function", function)]))
    return pa.struct([("role", text), ("content", text), ("tool_calls", calls), ("tool_call_id", text)])
