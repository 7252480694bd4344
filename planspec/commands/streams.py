"""Standard output and standard error of the program: failures to write have exceptions of their own."""

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
"""The error handler of standard output: characters that its encoding lacks are escaped as JSON escapes them."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Escapes for characters that cannot be encoded: what is printed stays readable, and JSON stays the same JSON."""
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
    """Standard output cannot be written; the text says why."""


class _Output(io.FileIO):
    """Standard output; it says once that it cannot be written, and takes what comes after without a word.

    Args:
        descriptor: to write to.
        closed: it was closed before the program began.
    """

    def __init__(self, descriptor: int, *, closed: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._why: ClosedOutputError | UnwritableOutputError | None = None
        if closed:
            self._why = UnwritableOutputError("standard output is closed")
        self._told = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Writes some of the data, as every raw file does."""
        if self._why is None:
            try:
                return super().write(data)
            except BrokenPipeError:
                self._why = ClosedOutputError()
            except OSError as error:
                self._why = UnwritableOutputError(f"standard output cannot be written: {error.strerror}")
        if self._told:
            return memoryview(data).nbytes
        self._told = True
        raise self._why


class _Errors(io.FileIO):
    """Standard error, where what cannot be said is left unsaid."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Writes, or passes over, the data."""
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def take_over() -> None:
    """Puts streams that behave as above in the places of `sys.stdout` and `sys.stderr`.

    Descriptors 0 to 2 that were closed are taken first, so that no file that is opened later becomes one of them.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest that is free: this one
    codecs.register_error(ESCAPED, _escaped)
    output, errors = sys.stdout, sys.stderr
    sys.stdout = _text(_Output(1, closed=output is None), output)
    sys.stderr = _text(_Errors(2, "wb", closefd=False), errors)


def _text(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """A text stream on bytes, as the one before it was; but no character that it cannot encode is an error."""
    buffered = io.BufferedWriter(raw)
    if not isinstance(before, io.TextIOWrapper):
        return io.TextIOWrapper(buffered, "utf-8", ESCAPED, line_buffering=True)
    before.flush()
    at_once = before.line_buffering or before.write_through
    handler = ESCAPED if before.errors in ("strict", "surrogateescape") else before.errors
    return io.TextIOWrapper(buffered, before.encoding, handler, line_buffering=at_once)
