"""Replacements of standard output and standard error, with special exceptions for failed writes."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


ESCAPE_HANDLER = "planspec.escaped"
"""Name of the error handler of standard output, which escapes characters that the encoding lacks."""


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Escape characters that cannot be encoded, in the same way as JSON, so that JSON output keeps its value."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)), error.end


class ClosedOutputError(BaseException):
    """The process that reads standard output has closed it.

    This is not an OSError, because Typer reports that as a failure.
    """


class UnwritableOutputError(BaseException):
    """Standard output cannot be written; the message says why."""


class _StandardOutputStream(io.FileIO):
    """Standard output. The first write that fails raises an exception; all later output is ignored.

    Args:
        descriptor: file descriptor to write to.
        closed: whether the descriptor was closed when the program started.
    """

    def __init__(self, descriptor: int, *, closed: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._error: ClosedOutputError | UnwritableOutputError | None = None
        if closed:
            self._error = UnwritableOutputError("standard output is closed")
        self._raised = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Write data, and return the number of bytes written, as raw files do."""
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


class _StandardErrorStream(io.FileIO):
    """Standard error that ignores what it cannot write."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data, or ignore it."""
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def replace_standard_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` by the streams of this module.

    First open the null device for each of the descriptors 0 to 2 that is closed, so that no file opened later
    gets one of them.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # `open` returns the lowest free descriptor, which is this one
    codecs.register_error(ESCAPE_HANDLER, _escape)
    output, errors = sys.stdout, sys.stderr
    sys.stdout = _text_stream(_StandardOutputStream(1, closed=output is None), output)
    sys.stderr = _text_stream(_StandardErrorStream(2, "wb", closefd=False), errors)


def _text_stream(raw: io.FileIO, previous: TextIO | None) -> TextIO:
    """Return a text stream that is set up like `previous` and raises no encoding errors."""
    buffered = io.BufferedWriter(raw)
    if not isinstance(previous, io.TextIOWrapper):
        return io.TextIOWrapper(buffered, "utf-8", ESCAPE_HANDLER, line_buffering=True)
    previous.flush()
    at_once = previous.line_buffering or previous.write_through
    handler = ESCAPE_HANDLER if previous.errors in ("strict", "surrogateescape") else previous.errors
    return io.TextIOWrapper(buffered, previous.encoding, handler, line_buffering=at_once)
