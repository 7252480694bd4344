"""The folder of a run: an append-only file of attempts that is whole at any moment, whatever ends the run."""

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

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_bytes
from planspec.errors import PlanspecError
from planspec.files import replace_text
from planspec.runs import chain
from planspec.runs.record import Attempt, Run
from planspec.shown import Shown

RETRY = b'"retry": '
"""Stands in the line of each attempt that was made again."""
UNCHAINED = "the records of `{}` are not chained: what was changed in them since does not show"
"""The message about a run of an earlier release."""


class InvalidRunError(PlanspecError, ValueError):
    """A folder that is no run, or another one than is asked to go on."""


class BusyRunError(PlanspecError, RuntimeError):
    """Another process writes to the run."""


@dataclass(frozen=True, slots=True)
class RunFolder(Shown):
    """A run's folder: `run.json`, `attempts.jsonl`, and `lock` while it is written.

    An attempt is one line that ends with a line feed. One that failed at the provider may be made again; its line stays. What stands after the last line feed was being written when the
    process ended: it is no attempt, is passed over by readers, and is cut off before the next line is written. Lines
    are chained (`planspec.runs.chain`): one that was changed, taken away or put in shows, unless all that follow, too,
    were sealed anew.
    """

    path: Path

    @property
    def header(self) -> Path:
        """The file of what all attempts share."""
        return self.path / "run.json"

    @property
    def attempts_file(self) -> Path:
        """The file of the attempts."""
        return self.path / "attempts.jsonl"

    def create(self, run: Run) -> None:
        """Begin a run.

        Raises:
            InvalidRunError: there is something in the folder.
            OSError: the file cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if any(self.path.iterdir()):
            raise InvalidRunError(f"`{self.path}` is not empty; go on with a run by --resume")
        replace_text(self.header, run.model_dump_json(indent=2) + "\n")
        self.attempts_file.touch()

    def run(self) -> Run:
        """The header.

        Raises:
            InvalidRunError: the folder has none.
        """
        try:
            return Run.model_validate_json(read_bytes(self.header, RECORDS_BYTES))
        except FileNotFoundError:
            raise InvalidRunError(f"`{self.path}` is not a run: it has no run.json") from None
        except ValidationError as error:
            raise InvalidRunError(f"`{self.header}`: {error.errors()[0]['msg']}") from None

    def attempts(self) -> Iterator[Attempt]:
        """The attempts that count, in the order in which they ended.

        Where one was made again because it failed at the provider, the last one stands for all.

        Raises:
            InvalidRunError: a whole line is no attempt, or not as it was written; the text has its number.
        """
        retries = self._retries()
        for number, line in self._lines():
            try:
                made = Attempt.model_validate(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise InvalidRunError(f"`{self.attempts_file}`, line {number}: {_fault(error)}") from None
            if made.retry >= retries.get(made.key, 0):
                yield made
            elif not made.unserved:
                raise InvalidRunError(
                    f"`{self.attempts_file}`, line {number}: it was made again, and did not fail at the provider"
                )

    def _retries(self) -> dict[tuple[str, int], int]:
        """How often attempts were made again: the number of the last time, where it is not 0."""
        found: dict[tuple[str, int], int] = {}
        with suppress(FileNotFoundError), open_regular(self.attempts_file, RECORDS_BYTES) as opened:
            for line in opened:
                if RETRY not in line:
                    continue
                with suppress(
                    ValueError, RecursionError
                ):  # a line that is no attempt is told of where it is read
                    match json.loads(line):
                        case {"task": str(task), "repeat": int(repeat), "retry": int(retry)}:
                            found[task, repeat] = max(retry, found.get((task, repeat), 0))
        return found

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """The whole lines, without their ends, each as it was sealed.

        Raises:
            InvalidRunError: one is not.
        """
        chained, before = self.run().chained, chain.first(self.header.read_bytes())
        try:
            opened = open_regular(self.attempts_file, RECORDS_BYTES)
        except FileNotFoundError:
            return
        with opened:
            for number, line in enumerate(opened, 1):
                if not line.endswith(b"\n"):
                    return
                body, seal = line[:-1], chain.seal_of(line[:-1])
                if chained and not chain.holds(body, before):
                    why = "it was changed, or a line before it" if seal else "it has no seal"
                    raise InvalidRunError(
                        f"`{self.attempts_file}`, line {number}: {why}; no line of this run can be trusted from here on"
                    )
                if not chained and seal:
                    raise InvalidRunError(
                        f"`{self.attempts_file}`, line {number}: it is sealed, and `{self.header.name}` says that none is"
                    )
                before = seal or before
                yield number, body

    @contextmanager
    def writing(self) -> Iterator[AttemptFile]:
        """The file of attempts, for one process alone.

        Raises:
            InvalidRunError: a line is not as it was written: before, or, when the block ends well, in the meantime.
            BusyRunError: another process has it.
            OSError: it cannot be opened.
        """
        with (self.path / "lock").open("a+b") as lock:
            _lock(lock, self.path)
            with self.attempts_file.open("a+b", buffering=0) as opened:
                _cut(opened)
                file = AttemptFile(self, opened)
                yield file
                file.check()


class AttemptFile:
    """Takes attempts as they end, and knows what it has taken: nobody else writes to the file unseen.

    Args:
        folder: folder of the run.
        opened: its file of attempts, unbuffered, at a line's end.
    """

    def __init__(self, folder: RunFolder, opened: IO[bytes]) -> None:
        self._folder, self._file = folder, opened
        self._header = folder.header.read_bytes()
        self._chained = folder.run().chained
        self._seal = chain.first(self._header)
        self._digests: list[bytes] = []
        self._size = 0
        for _, line in folder._lines():
            self._took(line + b"\n")

    def add(self, attempt: Attempt) -> None:
        """Write an attempt; when this returns it is on the disk.

        Raises:
            InvalidRunError: somebody else wrote to the file.
            OSError: the file cannot be written; the file is as it was before.
        """
        if os.fstat(self._file.fileno()).st_size != self._size:
            self.check()
        told = attempt.model_dump(mode="json", exclude_defaults=True, exclude={chain.KEY})
        body = json.dumps(told, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
        line = (chain.sealed(body, self._seal) if self._chained else body) + b"\n"
        left = memoryview(line)
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._size)
            raise OSError(error.errno, error.strerror, str(self._folder.attempts_file)) from error
        self._took(line)

    @property
    def lines(self) -> int:
        """The number of lines: that of the last one, from 1."""
        return len(self._digests)

    def check(self) -> None:
        """See that the run's files are what was written.

        Raises:
            InvalidRunError: they are not; the text has the first line that differs.
        """
        path, number = self._folder.attempts_file, 0
        changed = "while the run went on somebody else changed it"
        try:
            if self._folder.header.read_bytes() != self._header:
                raise InvalidRunError(f"`{self._folder.header}`: {changed}")
            with path.open("rb") as opened:
                for number, (line, digest) in enumerate(zip_longest(opened, self._digests), 1):
                    if line is None or digest is None or _digest(line) != digest:
                        raise InvalidRunError(f"`{path}`, line {number}: {changed}")
        except FileNotFoundError as error:
            raise InvalidRunError(
                f"`{error.filename}`: while the run went on somebody else took it away"
            ) from None

    def _took(self, line: bytes) -> None:
        self._seal = chain.seal_of(line[:-1]) or self._seal
        self._digests.append(_digest(line))
        self._size += len(line)


def _digest(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()


def _fault(error: Exception) -> str:
    """The fault of a line, in one sentence."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
    return str(error)


def _cut(opened: IO[bytes]) -> None:
    """Take away what stands after the last line feed."""
    size = end = opened.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - (1 << 16))
        opened.seek(begin)
        found = opened.read(end - begin).rfind(b"\n")
        if found >= 0:
            end = begin + found + 1
            break
        end = begin
    if end != size:
        opened.truncate(end)
    opened.seek(0, os.SEEK_END)


def _lock(opened: IO[bytes], folder: Path) -> None:
    """Hold the lock until the file is closed, which the end of the process does."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BusyRunError(f"another process writes to `{folder}`") from None
