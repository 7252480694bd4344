"""Output of agents is shown on separate lines above a progress bar."""

from __future__ import annotations

import os

from planspec.runs.workers import ScreenLines


def test_each_line_replaces_the_progress_bar() -> None:
    out, into = os.pipe()
    lines = ScreenLines(into)
    print("one", file=lines)
    print("two\nthr", end="", file=lines)
    lines.end()
    lines.end()
    os.close(into)
    with os.fdopen(out, "rb") as read:
        assert read.read() == b"\r\x1b[2Kone\n\r\x1b[2Ktwo\n\r\x1b[2Kthr\n"
    lines.write("nobody reads\n")
