"""A program's process exchanges lines with planspec, and its standard input can be closed."""

from __future__ import annotations

import os
import sys

import pytest

from planspec.agents.command.process import AgentProcess

ECHO = "import sys; text = sys.stdin.read(); print(len(text))"


@pytest.mark.parametrize("size", [0, 10, 1 << 20])
def test_input_ends_after_the_lines_that_are_queued(size: int) -> None:
    program = AgentProcess([sys.executable, "-c", ECHO], None, os.environ, contained=False)
    try:
        if size:
            program.send(b"x" * size)
        program.end_input()
        assert program.read(lambda: 20.0) == str(size).encode()
        assert program.read(lambda: 20.0) is None
        assert program.status() == 0
    finally:
        program.end()
