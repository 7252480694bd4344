"""Folder of a run. Its file of attempts is append-only and stays consistent even if the process is killed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from planspec.deprecation import former_fields
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_bytes
from planspec.errors import PlanspecError
from planspec.files import replace_text
from planspec.runs import chain
from planspec.runs.record import Attempt, Run
from planspec.shown import NotebookValue

RETRY = b'"retry": '
"""Bytes that occur in the line of each repeated attempt, for a fast search."""
UNCHAINED = "the records of `{}` are not chained, so later changes in them cannot be detected"
"""Message about a run of an earlier release, whose lines have no hashes."""


class InvalidRunError(PlanspecError, ValueError):
    """The folder is not a run, or its records were changed."""


class BusyRunError(PlanspecError, RuntimeError):
    """Another process is writing to the run."""


@former_fields(header="header_file", run="read_header")
@dataclass(frozen=True, slots=True)
class RunFolder(NotebookValue):
    """The folder of a run: `run.json`, `attempts.jsonl`, and `lock` while a process writes.

    Each attempt is one line. An attempt that failed at the provider may be repeated; its old line remains. Text after
    the last line feed is the incomplete line of a killed process. Readers skip it, and the next writer removes it.
    The lines form a hash chain (`planspec.runs.chain`). A changed, deleted or inserted line is detected, except if all
    later hashes were recomputed.
    """

    path: Path

    @property
    def header_file(self) -> Path:
        """File with the data that all attempts share, `run.json`."""
        return self.path / "run.json"

    @property
    def attempts_file(self) -> Path:
        """File of the attempts."""
        return self.path / "attempts.jsonl"

    def create(self, run: Run) -> None:
        """Begin a run.

        Raises:
            InvalidRunError: the folder is not empty.
            OSError: the file cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if any(self.path.iterdir()):
            raise InvalidRunError(f"`{self.path}` is not empty; go on with a run by --resume")
        replace_text(self.header_file, run.model_dump_json(indent=2) + "\n")
        self.attempts_file.touch()

    def read_header(self) -> Run:
        """Read the data that all attempts share.

        Raises:
            InvalidRunError: the folder has no valid header.
        """
        try:
            return Run.model_validate_json(read_bytes(self.header_file, RECORDS_BYTES))
        except FileNotFoundError:
            raise InvalidRunError(f"`{self.path}` is not a run: it has no run.json") from None
        except ValidationError as error:
            raise InvalidRunError(f"`{self.header_file}`: {error.errors()[0]['msg']}") from None

    def attempts(self) -> Iterator[Attempt]:
        """Yield the attempts in the order in which they ended.

        If an attempt was repeated after failures at the provider, only the last repetition is yielded.

        Raises:
            InvalidRunError: a complete line is not an attempt, or was changed; the message has its number.
        """
        retries = self._last_retries()
        for number, line in self._numbered_lines():
            try:
                attempt = Attempt.model_validate(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise InvalidRunError(f"`{self.attempts_file}`, line {number}: {_fault_text(error)}") from None
            if attempt.retry >= retries.get(attempt.key, 0):
                yield attempt
            elif not attempt.unserved:
                raise InvalidRunError(
                    f"`{self.attempts_file}`, line {number}: it was repeated although it did not fail at the provider"
                )

    def _last_retries(self) -> dict[tuple[str, int], int]:
        """Return the number of the last retry of each repeated attempt, by task and repeat."""
        retries: dict[tuple[str, int], int] = {}
        with suppress(FileNotFoundError), open_regular(self.attempts_file, RECORDS_BYTES) as opened:
            for line in opened:
                if RETRY not in line:
                    continue
                with suppress(ValueError, RecursionError):  # reading the attempts later reports invalid lines
                    match json.loads(line):
                        case {"task": str(task), "repeat": int(repeat), "retry": int(retry)}:
                            retries[task, repeat] = max(retry, retries.get((task, repeat), 0))
        return retries

    def _numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the text of each complete line, without line feeds.

        Raises:
            InvalidRunError: a line does not match its seal.
        """
        chained, before = self.read_header().chained, chain.first_seal(self.header_file.read_bytes())
        try:
            opened = open_regular(self.attempts_file, RECORDS_BYTES)
        except FileNotFoundError:
            return
        with opened:
            for number, line in enumerate(opened, 1):
                if not line.endswith(b"\n"):
                    return
                body, seal = line[:-1], chain.seal_of(line[:-1])
                if chained and not chain.is_valid(body, before):
                    why = "it was changed, or a line before it" if seal else "it has no seal"
                    raise InvalidRunError(
                        f"`{self.attempts_file}`, line {number}: {why}; no line of this run can be trusted from here on"
                    )
                if not chained and seal:
                    raise InvalidRunError(
                        f"`{self.attempts_file}`, line {number}: it is sealed, but `{self.header_file.name}` says that lines are not"
                    )
                before = seal or before
                yield number, body

    @contextmanager
    def writing(self) -> Iterator[AttemptFile]:
        """Open the file of attempts for exclusive writing.

        Raises:
            InvalidRunError: a line was changed before the file was opened, or while it was open. The second check runs
                only if the block succeeds.
            BusyRunError: another process is writing to the run.
            OSError: a file cannot be opened.
        """
        with (self.path / "lock").open("a+b") as lock:
            _lock(lock, self.path)
            with self.attempts_file.open("a+b", buffering=0) as opened:
                _cut_incomplete_line(opened)
                file = AttemptFile(self, opened)
                yield file
                file.check()


class AttemptFile:
    """A file to which finished attempts are appended. It detects writes by other processes.

    Args:
        folder: folder of the run.
        opened: file of attempts, unbuffered, positioned at the end of a line.
    """

    def __init__(self, folder: RunFolder, opened: IO[bytes]) -> None:
        self._folder, self._file = folder, opened
        self._header = folder.header_file.read_bytes()
        self._chained = folder.read_header().chained
        self._seal = chain.first_seal(self._header)
        self._digests: list[bytes] = []
        self._size = 0
        for _, line in folder._numbered_lines():
            self._register_line(line + b"\n")

    def add(self, attempt: Attempt) -> None:
        """Append an attempt, and wait until it is on the disk.

        Raises:
            InvalidRunError: another process wrote to the file.
            OSError: the file cannot be written. It is then unchanged.
        """
        if os.fstat(self._file.fileno()).st_size != self._size:
            self.check()
        data = attempt.model_dump(mode="json", exclude_defaults=True, exclude={chain.KEY})
        body = json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
        line = (chain.seal_line(body, self._seal) if self._chained else body) + b"\n"
        left = memoryview(line)
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._size)
            raise OSError(error.errno, error.strerror, str(self._folder.attempts_file)) from error
        self._register_line(line)

    @property
    def line_count(self) -> int:
        """Number of lines in the file, which is also the number of the last line, counted from 1."""
        return len(self._digests)

    def check(self) -> None:
        """Check that no other process has changed the files of the run.

        Raises:
            InvalidRunError: a file was changed; the message has the number of the first changed line.
        """
        path, number = self._folder.attempts_file, 0
        changed = "another process changed it during the run"
        try:
            if self._folder.header_file.read_bytes() != self._header:
                raise InvalidRunError(f"`{self._folder.header_file}`: {changed}")
            with path.open("rb") as opened:
                for number, (line, digest) in enumerate(zip_longest(opened, self._digests), 1):
                    if line is None or digest is None or _digest(line) != digest:
                        raise InvalidRunError(f"`{path}`, line {number}: {changed}")
        except FileNotFoundError as error:
            raise InvalidRunError(f"`{error.filename}`: another process deleted it during the run") from None

    def _register_line(self, line: bytes) -> None:
        self._seal = chain.seal_of(line[:-1]) or self._seal
        self._digests.append(_digest(line))
        self._size += len(line)


def _digest(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()


def _fault_text(error: Exception) -> str:
    """Describe in one sentence what is wrong with a line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
    return str(error)


def _cut_incomplete_line(opened: IO[bytes]) -> None:
    """Remove the text after the last line feed."""
    size = end = opened.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - (1 << 16))
        opened.seek(begin)
        at = opened.read(end - begin).rfind(b"\n")
        if at >= 0:
            end = begin + at + 1
            break
        end = begin
    if end != size:
        opened.truncate(end)
    opened.seek(0, os.SEEK_END)


def _lock(opened: IO[bytes], folder: Path) -> None:
    """Lock an open file. The lock ends when the file is closed or the process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BusyRunError(f"another process is writing to `{folder}`") from None
