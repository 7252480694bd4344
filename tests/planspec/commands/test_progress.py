"""The progress bar appears on terminals only."""

from __future__ import annotations

import io
import sys

import pytest

from planspec.commands.progress import progress_bar


class Terminal(io.StringIO):
    """A terminal that records what is written to it."""

    def isatty(self) -> bool:
        return True


def test_the_progress_bar_moves_by_the_reported_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    with progress_bar("generating") as report:
        report("task 3 of 12", 0.25)
    assert "25%" in seen.getvalue()
    assert "task 3 of 12" in seen.getvalue()


def test_no_progress_bar_is_written_to_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", seen)
    with progress_bar("generating") as report:
        report("task 3 of 12", 0.25)
    assert seen.getvalue() == ""
