"""Standard output and standard error of the program, with special errors for failed writes."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


ESCAPED = "planspec.escaped"
"""Error handler of standard output: escapes characters that its encoding lacks, as JSON does."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Escape characters that cannot be encoded: text stays readable, and JSON keeps its value."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)
    ), error.end


class ClosedOutputError(BaseException):
    """The reader of standard output has closed it.

    Not OSError, which the command-line library would take for a failure.
    """


class UnwritableOutputError(BaseException):
    """Standard output cannot be written, for the reason in the message."""


class _Output(io.FileIO):
    """Standard output that raises once if it cannot be written, and then ignores all further output.

    Args:
        descriptor: descriptor to write to.
        closed: whether it was closed before the program began.
    """

    def __init__(self, descriptor: int, *, closed: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._error: ClosedOutputError | UnwritableOutputError | None = None
        if closed:
            self._error = UnwritableOutputError("standard output is closed")
        self._raised = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Write some of the data, as raw files do."""
        if self._error is None:
            try:
                return super().write(data)
            except BrokenPipeError:
                self._error = ClosedOutputError()
            except OSError as error:
                self._error = UnwritableOutputError(f"standard output cannot be written: {error.strerror}")
        if self._raised:
            return memoryview(data).nbytes
        self._raised = True
        raise self._error


class _Errors(io.FileIO):
    """Standard error that ignores what it cannot write."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data, or ignore it."""
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def take_over() -> None:
    """Replace `sys.stdout` and `sys.stderr` by the streams of this module.

    Closed descriptors from 0 to 2 are occupied first, so that no file opened later gets one of them.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor, which is this one
    codecs.register_error(ESCAPED, _escaped)
    output, errors = sys.stdout, sys.stderr
    sys.stdout = _text(_Output(1, closed=output is None), output)
    sys.stderr = _text(_Errors(2, "wb", closefd=False), errors)


def _text(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """Return a text stream like the previous one, on which no character causes an encoding error."""
    buffered = io.BufferedWriter(raw)
    if not isinstance(before, io.TextIOWrapper):
        return io.TextIOWrapper(buffered, "utf-8", ESCAPED, line_buffering=True)
    before.flush()
    at_once = before.line_buffering or before.write_through
    handler = ESCAPED if before.errors in ("strict", "surrogateescape") else before.errors
    return io.TextIOWrapper(buffered, before.encoding, handler, line_buffering=at_once)
