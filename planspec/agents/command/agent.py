"""The agent that runs a program."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, assert_never

from planspec.agents.agent import Answer, UnknownAgentError
from planspec.agents.command.containment import (
    ExposedFolderError,
    Sandbox,
    plain_environment,
    why_unavailable,
)
from planspec.agents.command.keeper import START_FAILURE
from planspec.agents.command.process import EXIT_GRACE_S, KEPT_ERRORS, AgentProcess
from planspec.agents.command.protocol import (
    AnswerLine,
    CallLine,
    FailedLine,
    MessageLine,
    NoteLine,
    TokensLine,
    excerpt,
    read_line,
    result_line,
    task_line,
)
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.optional import AgentInfo, FormerAttribute
from planspec.agents.view import TaskView
from planspec.traces.record import Generation

SETTLING_S = 0.05
"""Seconds after an answer during which any further output makes the attempt fail."""
MOST_MESSAGE = 2000
"""Maximum length, in characters, of a program's message about its own failure."""
START_FAILURE_STATUSES = (126, 127)
"""Exit statuses of a shell or of `keeper.py` for a program that does not exist or cannot be executed."""
ERRORS = "stderr"
"""Name of the note for the last part of a program's standard error."""


@dataclass(slots=True)
class _AttemptProgram:
    """The running program of an attempt, and the standard error of all programs started in the attempt."""

    desk: Desk | None = None
    program: AgentProcess | None = None
    errors: str = ""

    def end(self, patience: float = EXIT_GRACE_S) -> None:
        """End the program, and store its standard error. `patience` is the time in seconds to exit by itself."""
        program, self.program = self.program, None
        if program is not None:
            program.end(patience)
            self.errors += program.errors()

    def note(self) -> None:
        """Store the last part of the standard error as a note in the attempt."""
        errors = self.errors + (self.program.errors() if self.program else "")
        if errors and self.desk is not None:
            self.desk.note(ERRORS, errors[-KEPT_ERRORS:])


class Command:
    """A program of any kind that answers in JSON lines, as described in `planspec.agents.command.protocol`.

    One process serves one attempt with all its turns. If bubblewrap is available, the program runs in a sandbox
    (`planspec.agents.command.containment`).

    Args:
        run: command line, split as a shell splits it; no shell runs it.
        cwd: working folder of the program, which it may write to. If None, the program runs at the path of the current
            folder but sees it empty.
        env: environment variables, as `NAME=value NAME=value`. They are recorded with the run.
        inherit: names of variables to take from planspec's environment, such as that of an API key; only the names are
            recorded.
        reads: files and folders that the program can read besides its folder, its interpreter and the files named in
            the command line.
        network: whether the program reaches the network.
        contained: if off, the program runs with all rights of this user and all of planspec's environment.

    Attributes:
        info: needs and limits of the agent; `uncontained` has the reason if the program runs outside a sandbox,
            `siteless` the reason if it cannot reach a website.

    Raises:
        UnknownAgentError: there is no such program, or an option is malformed.
    """

    siteless = FormerAttribute()
    uncontained = FormerAttribute()

    def __init__(
        self,
        run: str,
        cwd: Path | None = None,
        env: str = "",
        inherit: str = "",
        reads: str = "",
        network: bool = False,
        contained: bool = True,
    ) -> None:
        self._command = _split_option("run", run)
        if not self._command:
            raise UnknownAgentError("the agent `command`: `run` names no program")
        if cwd is not None and not cwd.is_dir():
            raise UnknownAgentError(f"the agent `command`: there is no folder `{cwd}`")
        self._cwd = cwd
        self._env = _base_environment(_split_option("inherit", inherit), contained=contained)
        self._env |= dict(_parse_variable(part) for part in _split_option("env", env))
        program = self._command[0]
        path = (cwd or Path()) / program if os.sep in program else program
        executable = shutil.which(path, path=self._env.get("PATH"))
        if executable is None:
            raise UnknownAgentError(f"the agent `command`: there is no program `{program}`")
        self._program = Path(executable)
        uncontained = why_unavailable() if contained else "contained=off"
        is_offline = uncontained is None and not network
        self.info = AgentInfo(
            siteless="its program is contained without a network; `network=true` gives it one" if is_offline else None,
            uncontained=uncontained,
            in_process=False,
        )
        reads_paths = [Path(path) for path in _split_option("reads", reads)]
        for missing in (path for path in reads_paths if not path.exists()):
            raise UnknownAgentError(f"the agent `command`: there is nothing at `{missing}`")
        self._sandbox = Sandbox(cwd, tuple(reads_paths), network, tuple(self._named_paths()))
        self._command_line()
        self._running = _AttemptProgram()
        weakref.finalize(self, self._running.end)

    def conceal(self, folders: Iterable[Path]) -> None:
        """Hide folders and files from the program, if it runs in a sandbox.

        Raises:
            UnknownAgentError: the program needs one of them.
        """
        self._sandbox = replace(self._sandbox, hidden=tuple(folders))
        self._command_line()

    def _command_line(self) -> list[str]:
        """Return the command line to run. It starts a sandbox if one is available."""
        if self.info.uncontained is not None:
            return self._command
        try:
            return self._sandbox.command(self._program, self._command)
        except ExposedFolderError as error:
            raise UnknownAgentError(
                f"the agent `command`: {error}; give it a folder of its own with cwd=, or use contained=off"
            ) from None

    def _named_paths(self) -> list[Path]:
        """Return the existing files and folders named in the command line."""
        words = self._command[os.sep not in self._command[0] :]
        paths = ((self._cwd or Path()) / word for word in words if word)
        return [path for path in paths if os.path.exists(path)]  # noqa: PTH110 False if not a path

    def about(self) -> Mapping[str, Any]:
        """Return the command line, hashes of the files named in it, and whether the program runs in a sandbox."""
        files = {part: (self._cwd or Path()) / part for part in self._command}
        hashes = {
            part: hashlib.sha256(file.read_bytes()).hexdigest()
            for part, file in files.items()
            if os.path.isfile(file)  # noqa: PTH113 False for words that are no paths
        }
        reason = self.info.uncontained
        containment = {"contained": "bubblewrap" if reason is None else f"no: {reason}"}
        return {"command": self._command, "sha256": hashes, **containment}

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the program's answer.

        Raises:
            AttemptFailedError: the attempt failed. The program has been ended.
        """
        running = self._running
        if running.desk is not desk:
            running.end()
            running.desk, running.errors = desk, ""
        try:
            return self._answer(view, desk)
        except BaseException:
            running.end(0.0)
            raise
        finally:
            running.note()

    def close(self) -> None:
        """End the program of the last attempt, after a short time in which it may exit by itself."""
        self._running.end()

    def _answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the answer of the program from the last turn or, if it has exited, of a new process."""
        previous = self._running.program
        if previous is not None:
            answer = self._run_turn(previous, view, desk, is_reused=True)
            if answer is not None:
                return answer
            self._running.end(0.0)
        try:
            words = self._command_line()
        except UnknownAgentError as error:
            raise AttemptFailedError("adapter", str(error)) from None
        self._running.program = new = AgentProcess(words, self._cwd, self._env, contained=self.info.uncontained is None)
        answer = self._run_turn(new, view, desk, is_reused=False)
        assert answer is not None
        return answer

    def _run_turn(self, program: AgentProcess, view: TaskView, desk: Desk, *, is_reused: bool) -> Answer | None:
        """Return the program's answer.

        Return None if a program from an earlier turn exited with status 0 and no output, and must be started again.
        """
        if is_reused and (trailing := program.read_trailing(0.0)):
            raise _trailing_output_error(trailing)
        lines = program.lines
        program.send(task_line(view, desk))
        while True:
            line = self._read_line(program, desk)
            if line is None:
                status = program.status()
                if is_reused and program.lines == lines and status == 0:
                    return None
                raise AttemptFailedError("adapter", _exit_message(program, status))
            match read_line(line, program.lines):
                case CallLine() as call:
                    call_id = None if call.id is None else str(call.id)
                    program.send(result_line(call.id, desk.call(call.name, call.arguments, id=call_id)))
                case TokensLine() as tokens:
                    desk.step()
                    time = None if tokens.seconds is None else desk.since(desk.now() - tokens.seconds)
                    desk.spend(tokens.input, tokens.output, cached=tokens.cached, stage=tokens.stage)
                    generation = Generation(
                        role=tokens.role,
                        model=tokens.model,
                        input=tokens.input,
                        cached=tokens.cached,
                        output=tokens.output,
                        time=time,
                    )
                    desk.record_generation(generation)
                case MessageLine() as message:
                    desk.record_message(message.role, message.text)
                case NoteLine() as note:
                    desk.note(note.name, note.value)
                case FailedLine() as failed:
                    raise AttemptFailedError(failed.boundary, failed.message[:MOST_MESSAGE])
                case AnswerLine() as answer:
                    if trailing := program.read_trailing(min(SETTLING_S, max(0.0, desk.left))):
                        raise _trailing_output_error(trailing)
                    return answer.answer
                case unreachable:
                    assert_never(unreachable)

    def _read_line(self, program: AgentProcess, desk: Desk) -> bytes | None:
        desk.check()
        try:
            return program.read(lambda: desk.left)
        except TimeoutError:
            hint = "" if program.lines else ", and the program wrote no line; does it flush what it writes?"
            raise AttemptFailedError("timeout", f"{desk.limits.seconds:g} seconds are over{hint}") from None


def _trailing_output_error(trailing: bytes) -> AttemptFailedError:
    first = trailing.partition(b"\n")[0]
    return AttemptFailedError("adapter", f"the program wrote more after its answer: {excerpt(first)}")


def _exit_message(program: AgentProcess, status: int | None) -> str:
    """Return why a program's output ended."""
    if status is None:
        return "the program closed its standard output before it answered"
    if status < 0:
        names = {number.value: number.name for number in signal.Signals}
        how = f"was ended by {names.get(-status, f'signal {-status}')}"
    else:
        how = f"ended with status {status}"
    program.end()
    words = [line.strip() for line in program.errors().splitlines() if line.strip()]
    if not program.lines and words and status in START_FAILURE_STATUSES:
        return f"the program {START_FAILURE}{words[-1].removeprefix(START_FAILURE)}"
    last = f"; its last line on standard error: {excerpt(words[-1].encode('utf-8'))}" if words else ""
    return f"the program {how} before it answered{last}"


def _split_option(option: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UnknownAgentError(f"the agent `command`: `{option}` cannot be split: {error}") from None


def _base_environment(inherited: list[str], *, contained: bool) -> dict[str, str]:
    """Return the environment variables that a program inherits."""
    if not contained:
        return dict(os.environ)
    for missing in (name for name in inherited if name not in os.environ):
        raise UnknownAgentError(f"the agent `command`: no variable `{missing}` to inherit")
    return plain_environment() | {name: os.environ[name] for name in inherited}


def _parse_variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UnknownAgentError(f"the agent `command`: `{text}` in `env` is not NAME=value")
    return name, value
