"""The recording of a suite: an SQLite file of tool calls in its folder. Results are read on demand."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from planspec.environments.line_index import FileState
from planspec.families.mobilitybench.calls import Canonical
from planspec.families.mobilitybench.public.replaying import PublicSandbox
from planspec.families.mobilitybench.snapshot import KnownCall, RecordedCall, text_of

RECORDING = "sandbox.sqlite"
"""Name of the file with recorded tool calls in a suite's folder."""
MOST_RECORDINGS = 4
"""Maximum number of recordings with cached calls in a process."""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A recorded call. Its result is read from the file on demand.

    Attributes:
        tool: name of the tool.
        arguments: arguments in canonical form.
        file: SQLite file with the recording.
        number: number of the call in the recording.
    """

    tool: str
    arguments: Canonical
    file: Path
    number: int

    @property
    def key(self) -> tuple[str, Canonical]:
        """The tool and the arguments, as a key for lookups."""
        return self.tool, self.arguments

    @property
    def result(self) -> str:
        """Result of the call, or `{"error": ...}`, as JSON text."""
        with closing(_open_read_only(self.file)) as database:
            row = database.execute("select result from Call where place = ?", (self.number,)).fetchone()
        return str(row[0])


def write_recording(file: Path, calls: Iterable[RecordedCall]) -> None:
    """Write a recording to a file that does not exist yet."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("create table Call (place integer primary key, tool text, arguments text, result text)")
        database.executemany(
            "insert into Call values (?, ?, ?, ?)",
            ((n, call.tool, text_of(dict(call.arguments)), call.result) for n, call in enumerate(calls, 1)),
        )
        database.commit()


def recording_beside(episodes: Path | None) -> PublicSandbox | None:
    """Return a sandbox that replays the recording of a suite, or None if the suite has none.

    Args:
        episodes: file with the suite's episodes, or the suite's folder; None if there is no suite.
    """
    if episodes is None:
        return None
    file = (episodes if episodes.is_dir() else episodes.parent) / RECORDING
    return _load_sandbox(FileState.of(file)) if file.is_file() else None


@lru_cache(maxsize=MOST_RECORDINGS)
def _load_sandbox(file: FileState) -> PublicSandbox:
    return PublicSandbox(_read_calls(file.path))


def _read_calls(file: Path) -> list[KnownCall]:
    with closing(_open_read_only(file)) as database:
        rows = database.execute("select place, tool, arguments from Call order by place").fetchall()
    return [StoredCall(tool, _parse_arguments(arguments), file, number) for number, tool, arguments in rows]


def _parse_arguments(text: str) -> Canonical:
    arguments = json.loads(text)
    return tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in sorted(arguments.items()))


def _open_read_only(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
