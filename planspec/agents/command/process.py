"""A program that exchanges lines with planspec, and is killed together with every process that it started."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from planspec.agents.command.keeper import START_FAILURE
from planspec.agents.failures import AttemptFailedError

MOST_LINE = 8 << 20
"""Maximum length of a line, in bytes."""
MOST_OUTPUT = 64 << 20
"""Maximum output of a program, in bytes."""
MOST_UNREAD = 64 << 20
"""Maximum input that a program may leave unread, in bytes."""
KEPT_ERRORS = 64 << 10
"""Number of bytes at the end of standard error that are recorded."""
KEEPER_TIMEOUT_S = 5.0
"""Seconds that the parent process `keeper.py` has to kill the program's processes."""
EXIT_GRACE_S = 1.0
"""Seconds that a program has to exit by itself after its input or output has ended."""
_CHUNK = 1 << 16
_KEEPER = Path(__file__).with_name("keeper.py")


class AgentProcess:
    """A running program, which is started when the object is created.

    Args:
        command: the program and its arguments.
        cwd: working folder.
        env: environment.
        contained: whether the command runs in a sandbox, whose processes end with the program. If not, a parent process
            (`keeper.py`) kills the processes that the program started.

    Attributes:
        lines: number of lines read.

    Raises:
        AttemptFailedError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], cwd: Path | None, env: Mapping[str, str], *, contained: bool) -> None:
        keeper_end, self._keeper_pipe = os.pipe()
        words = command if contained else [sys.executable, "-I", "-S", os.fspath(_KEEPER), str(keeper_end), *command]
        try:
            self._process = subprocess.Popen(
                words,
                cwd=cwd,
                env=env,
                start_new_session=True,
                pass_fds=() if contained else (keeper_end,),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            os.close(self._keeper_pipe)
            why = getattr(error, "strerror", None) or str(error)
            raise AttemptFailedError("adapter", f"the program `{command[0]}` {START_FAILURE}{why}") from None
        finally:
            os.close(keeper_end)
        self._contained = contained
        self._selector = selectors.DefaultSelector()
        self._output, self._errors, self._unread = bytearray(), bytearray(), bytearray()
        self._searched = self._written = 0
        self._closed = self._ended = self._input_ends = False
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        for pipe in (self._stdout, self._stderr):
            self._selector.register(pipe, selectors.EVENT_READ)
        self.lines = 0

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def _stderr(self) -> IO[bytes]:
        assert self._process.stderr is not None
        return self._process.stderr

    def send(self, line: bytes) -> None:
        """Queue a line for the program's input.

        Raises:
            AttemptFailedError: the program has left too much of its input unread.
        """
        if self._stdin.closed:
            return
        if not self._unread:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unread += line
        if len(self._unread) > MOST_UNREAD:
            raise AttemptFailedError("limit", f"the program leaves more than {MOST_UNREAD >> 20} MB unread")

    def end_input(self) -> None:
        """End the program's input after the queued lines."""
        self._input_ends = True
        if not self._unread:
            self._close_input()

    def read(self, seconds_left: Callable[[], float]) -> bytes | None:
        """Return the next nonempty line of output, without its line end; None at the end of the output.

        Args:
            seconds_left: function that returns the remaining seconds.

        Raises:
            AttemptFailedError: the line or the whole output is too long.
            TimeoutError: the time is over.
        """
        while True:
            line = self._next_line()
            if line is None and self._closed:
                return None
            if line is not None:
                self.lines += 1
                if line.strip():
                    return line
                continue
            seconds = seconds_left()
            if seconds <= 0:
                raise TimeoutError
            self._exchange(seconds)

    def read_trailing(self, seconds: float) -> bytes:
        """Return the output that arrives within `seconds` after the last line read; empty if there is none."""
        until = time.monotonic() + seconds
        while not self._output.strip() and not self._closed:
            left = until - time.monotonic()
            self._exchange(max(0.0, left))
            if left <= 0:
                break
        return bytes(self._output.strip())

    def errors(self) -> str:
        """Return the last part of the program's standard error so far, as text."""
        if not self._ended:
            self._read_errors()
        return self._errors.decode("utf-8", "replace")

    def status(self) -> int | None:
        """Return the exit status (negative for a signal) after the output has ended; None if the program still runs."""
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(EXIT_GRACE_S)
            return 128 - code if code > 128 else code  # a shell, bubblewrap and the keeper report signals in this way
        return None

    def end(self, patience: float = 0.0) -> None:
        """End the program and everything it started.

        Args:
            patience: seconds that it has to exit by itself after its input has ended.
        """
        if self._ended:
            return
        self._ended = True
        self._close_input()
        if patience > 0:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        os.close(self._keeper_pipe)
        if not self._contained:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(KEEPER_TIMEOUT_S)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._read_errors()
        self._selector.close()
        self._stdout.close()
        self._stderr.close()

    # ------------------------------------------------------------------

    def _next_line(self) -> bytes | None:
        """Return the next complete line of the output received so far, or None."""
        end = self._output.find(b"\n", self._searched)
        self._searched = len(self._output)
        if (self._searched if end < 0 else end) > MOST_LINE:
            raise AttemptFailedError("limit", f"the program wrote a line of more than {MOST_LINE >> 20} MB")
        if end < 0:
            if not self._closed or not self._output:
                return None
            end = len(self._output)  # the last line may have no line end
        line = bytes(self._output[:end])
        del self._output[: end + 1]
        self._searched = 0
        return line

    def _exchange(self, seconds: float) -> None:
        """Wait until a stream is ready, and read from or write to it."""
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stdin:
                self._write()
            elif key.fileobj is self._stderr:
                self._read_errors()
            else:
                self._read_output()

    def _write(self) -> None:
        try:
            count = os.write(self._stdin.fileno(), self._unread[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:  # a program that has closed its input may still answer
            self._close_input()
            return
        del self._unread[:count]
        if not self._unread:
            self._selector.unregister(self._stdin)
            if self._input_ends:
                self._close_input()

    def _close_input(self) -> None:
        if self._stdin.closed:
            return
        if self._unread:
            self._selector.unregister(self._stdin)
            self._unread.clear()
        self._stdin.close()

    def _read_output(self) -> None:
        try:
            chunk = os.read(self._stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._closed = True
            self._selector.unregister(self._stdout)
            return
        self._output += chunk
        self._written += len(chunk)
        if self._written > MOST_OUTPUT:
            raise AttemptFailedError("limit", f"the program wrote more than {MOST_OUTPUT >> 20} MB")

    def _read_errors(self) -> None:
        """Read available standard error, at most 4 MB: a program can write faster than planspec reads."""
        for _ in range(64):
            try:
                chunk = os.read(self._stderr.fileno(), _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                with suppress(KeyError):
                    self._selector.unregister(self._stderr)
                return
            self._errors += chunk
            del self._errors[:-KEPT_ERRORS]
