"""Replacements of standard output and standard error that raise their own exceptions after failed writes."""

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
"""Name of the error handler of standard output. It escapes characters that the encoding lacks."""


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Escape characters that cannot be encoded, as in JSON. JSON output thus keeps its meaning."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)), error.end


class ClosedOutputError(BaseException):
    """The process that read standard output has closed it.

    It is not an OSError, which Typer would report as a failure.
    """


class UnwritableOutputError(BaseException):
    """Standard output cannot be written. The message says why."""


class _StandardOutputStream(io.FileIO):
    """Standard output. The first failed write raises an exception, and later output is ignored.

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
        """Write data. Return the number of bytes written, as raw files do."""
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
    """Standard error. Failed writes are ignored."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data. A failure is ignored."""
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def replace_standard_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` by streams of this module.

    Closed descriptors from 0 to 2 are opened on the null device first. Otherwise a file opened later would get one of
    them.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # `open` returns the lowest free descriptor, which is the closed one
    codecs.register_error(ESCAPE_HANDLER, _escape)
    output, errors = sys.stdout, sys.stderr
    sys.stdout = _text_stream(_StandardOutputStream(1, closed=output is None), output)
    sys.stderr = _text_stream(_StandardErrorStream(2, "wb", closefd=False), errors)


def _text_stream(raw: io.FileIO, previous: TextIO | None) -> TextIO:
    """Return a text stream with the settings of `previous` that raises no encoding errors."""
    buffered = io.BufferedWriter(raw)
    if not isinstance(previous, io.TextIOWrapper):
        return io.TextIOWrapper(buffered, "utf-8", ESCAPE_HANDLER, line_buffering=True)
    previous.flush()
    at_once = previous.line_buffering or previous.write_through
    handler = ESCAPE_HANDLER if previous.errors in ("strict", "surrogateescape") else previous.errors
    return io.TextIOWrapper(buffered, previous.encoding, handler, line_buffering=at_once)
