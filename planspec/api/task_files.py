"""Writing of many tasks or answers as JSON Lines files that planspec's commands read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

from planspec.dsl.workspace.shards import JSON_ENDINGS, PACKED
from planspec.dsl.yaml.json_text import has_lone_surrogate
from planspec.files import replacing


def write_tasks(path: str | PathLike[str], tasks: Iterable[Mapping[str, Any]]) -> int:
    """Write tasks one by one to a JSON Lines file (a shard), and return their number.

    The keys of a task are those of a task's document, such as `id`, `query`, `uses`, `given` and `tables`; `planspec:
    task/1` is added. Values may be dates, times, durations, decimals and sets. The tasks are not checked here, but by
    `planspec check`.

    Args:
        path: file whose name ends in `.tasks.jsonl` or `.tasks.jsonl.gz`. It is replaced only after all tasks are
            written.
        tasks: the tasks, in order.

    Raises:
        ValueError: the name has another ending, an id is missing or occurs twice, or a number is not finite.
        TypeError: a value cannot be written as JSON.
        OSError: the file cannot be written.
    """
    target = Path(path)
    if not target.name.endswith(JSON_ENDINGS):
        raise ValueError(f"`{target.name}` is no name of a shard of JSON lines: it ends in {' or '.join(JSON_ENDINGS)}")
    return _write_lines(target, _task_lines(tasks))


def _task_lines(tasks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    for number, task in enumerate(tasks, 1):
        id_ = task.get("id")
        if not isinstance(id_, str) or not id_:
            raise ValueError(f"task {number} has no `id`, which is a text")
        if id_ in seen:
            raise ValueError(f"two tasks have the id `{id_}`")
        seen.add(id_)
        yield json_line({"planspec": "task/1", **task}, f"the task `{id_}`")


def write_answers(path: str | PathLike[str], answers: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> int:
    """Write answers as JSON lines for `planspec score`, and return their number.

    Args:
        path: the file. It is replaced only after all answers are written.
        answers: answers by task id, or pairs of a task id and an answer. An answer is the JSON of a plan, the text
            of an agent, or None for no answer.

    Raises:
        TypeError: an answer cannot be written as JSON.
        ValueError: a number is not finite.
        OSError: the file cannot be written.
    """
    pairs = answers.items() if isinstance(answers, Mapping) else answers
    lines = (json_line({"task": task, "plan": answer}, f"the answer to `{task}`") for task, answer in pairs)
    return _write_lines(Path(path), lines)


def _write_lines(path: Path, lines: Iterable[str]) -> int:
    count = 0
    with replacing(path) as file:
        packed = gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) if path.name.endswith(PACKED) else None
        out = packed or file
        for line in lines:
            out.write(f"{line}\n".encode())
            count += 1
        if packed is not None:
            packed.close()
    return count


def json_line(data: Mapping[str, Any], what: str) -> str:
    """Return data as one line of JSON. Dates, times, durations, decimals and sets are written as in a task's document.

    Args:
        data: the data.
        what: name of the data in error messages.

    Raises:
        TypeError: a value cannot be expressed in JSON.
        ValueError: a number is not finite, a string has a lone surrogate, or the data are nested too deeply.
    """
    try:
        line = json.dumps(data, ensure_ascii=False, allow_nan=False, default=_json_value)
    except RecursionError:
        raise ValueError(f"{what} cannot be written as JSON: it is nested too deeply") from None
    except TypeError as error:
        raise TypeError(f"{what} cannot be written as JSON: {error}") from None
    except ValueError as error:
        raise ValueError(f"{what} cannot be written as JSON: {error}") from None
    if has_lone_surrogate(line):
        raise ValueError(f"{what} cannot be written as JSON: half of a surrogate pair is not a character")
    return line


def _json_value(value: object) -> object:
    match value:
        case Mapping():
            return dict(value)
        case set() | frozenset():
            return sorted(value, key=str)
        case date() | Decimal():
            return str(value)
        case time():
            return value.isoformat("minutes")
        case timedelta():
            minutes, rest = divmod(value, timedelta(minutes=1))
            if not rest:
                return f"{minutes}min"
    raise TypeError(f"{value!r:.80} is {type(value).__name__}")
