"""Scorers in separate processes: programs, and Python functions."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from planspec.agents.command.process import AgentProcess
from planspec.agents.failures import AttemptFailedError
from planspec.foreign_scorers.scorer import (
    TIMEOUT_S,
    Score,
    ScorerFailedError,
    UnknownScorerError,
    excerpt,
    parse_score,
    read_score,
    request_line,
)

START_S = 120.0
"""Time limit for loading a Python scorer, in seconds."""
_WORKER = Path(__file__).with_name("worker.py")


class CommandScorer:
    """A program that reads a line of JSON and writes a line of JSON.

    Each answer has a separate process, which runs with all rights of this user. The process must write one result and
    exit with status 0 within the time limit. Processes that it started are then killed.

    Args:
        name: address of the scorer.
        command: the program and its arguments; no shell runs it.
        timeout_s: time limit for one answer, in seconds.

    Raises:
        UnknownScorerError: there is no such program.
    """

    def __init__(self, name: str, command: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> None:
        if not command:
            raise UnknownScorerError(f"`{name}` names no program")
        if shutil.which(command[0]) is None:
            raise UnknownScorerError(f"there is no program `{command[0]}`")
        self.name = name
        self._command = command
        self._timeout_s = timeout_s

    def score(self, request: Mapping[str, Any]) -> Score:
        """Return the score of one answer.

        Raises:
            ScorerFailedError: there is no score.
        """
        end = time.monotonic() + self._timeout_s
        program = _start(self._command)
        try:
            program.send(request_line(request))
            program.end_input()
            lines: list[bytes] = []
            while (line := _read(program, end, self._timeout_s)) is not None:
                lines.append(line)
                if len(lines) > 1:
                    raise ScorerFailedError(f"the program wrote more than one line: {excerpt(line)}")
            status = program.status()
            if status != 0 or not lines:
                raise ScorerFailedError(_exit_text(program, status))
            return parse_score(lines[0])
        finally:
            program.end()

    def close(self) -> None:
        """Do nothing, because the process of each answer has already ended."""


class PythonScorer:
    """A Python function or an Inspect scorer, in a separate process that judges one answer after another.

    The process is killed and started again if an answer takes too long or the process ends.

    Args:
        name: address of the scorer.
        kind: `python` for a function `function(task, answer)`; `inspect` for a scorer of Inspect, or a function that
            returns one.
        place: name of the module, or path of its file.
        attribute: name of the function in the module.
        timeout_s: time limit for one answer, in seconds.

    Raises:
        UnknownScorerError: the scorer cannot be loaded.
    """

    def __init__(
        self,
        name: str,
        kind: Literal["python", "inspect"],
        place: str,
        attribute: str,
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.name = name
        self._command = [sys.executable, "-P", os.fspath(_WORKER), kind, place, attribute]
        self._timeout_s = timeout_s
        self._program: AgentProcess | None = None
        try:
            self._program = self._load()
        except ScorerFailedError as error:
            raise UnknownScorerError(f"the scorer `{name}` cannot be loaded: {error}") from None

    def _load(self) -> AgentProcess:
        program = _start(self._command)
        try:
            line = _read(program, time.monotonic() + START_S, START_S)
            if line is None:
                raise ScorerFailedError(_exit_text(program, program.status()))
            fault = _reply(line).get("fault")
            if fault is not None:
                raise ScorerFailedError(fault)
        except ScorerFailedError:
            program.end()
            raise
        return program

    def score(self, request: Mapping[str, Any]) -> Score:
        """Return the score of one answer.

        Raises:
            ScorerFailedError: there is no score.
        """
        if self._program is None:
            self._program = self._load()
        try:
            self._program.send(request_line(request))
            line = _read(self._program, time.monotonic() + self._timeout_s, self._timeout_s)
            if line is None:
                raise ScorerFailedError(_exit_text(self._program, self._program.status()))
            reply = _reply(line)
        except ScorerFailedError:
            self.close()
            raise
        if "error" in reply:
            raise ScorerFailedError(f"it raised {reply['error']}")
        return read_score(reply.get("result"))

    def close(self) -> None:
        """End the process."""
        program, self._program = self._program, None
        if program is not None:
            program.end()


def _start(command: Sequence[str]) -> AgentProcess:
    try:
        return AgentProcess(command, None, os.environ, contained=False)
    except AttemptFailedError as error:
        raise ScorerFailedError(str(error)) from None


def _read(program: AgentProcess, end: float, timeout_s: float) -> bytes | None:
    """Return the next line of a program's output; None at the end of the output."""
    try:
        return program.read(lambda: end - time.monotonic())
    except TimeoutError:
        raise ScorerFailedError(f"no result in {timeout_s:g} s") from None
    except AttemptFailedError as error:
        raise ScorerFailedError(str(error)) from None


def _reply(line: bytes) -> dict[str, Any]:
    try:
        reply = json.loads(line)
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        raise ScorerFailedError(f"the scorer wrote over its results: {excerpt(line)}")
    return reply


def _exit_text(program: AgentProcess, status: int | None) -> str:
    """Return why a program's output ended without a result, with its last line on standard error."""
    program.end()
    how = "closed its output" if status is None else f"ended with status {status}"
    words = [line.strip() for line in program.errors().splitlines() if line.strip()]
    last = f"; its last line on standard error: {excerpt(words[-1].encode())}" if words else ""
    return f"the program {how} without a result{last}" if status == 0 else f"the program {how}{last}"
