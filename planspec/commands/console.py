"""Shared parts of commands: exit codes, printing, reading of files that a call names."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, is_dataclass
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import typer

from planspec.commands.messages import DiagnosticText, print_message
from planspec.commands.terminal import colored
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.resources import reading
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.errors import (
    DiagnosticError,
    InternalError,
    LimitReachedError,
    NotFoundError,
    PlanspecError,
    is_out_of_memory,
)
from planspec.extras import EXTRA_OF, install_command
from planspec.files import replace_text
from planspec.solvers.backends.register import BACKENDS

if TYPE_CHECKING:
    from planspec.dsl.diagnostics.source import Span
    from planspec.dsl.model.task import Task


class Exit(IntEnum):
    """Exit status of a command."""

    HOLDS = 0
    FAILS = 1
    WRONG_INPUT = 2
    UNDECIDED = 3
    BUG = 70
    INTERRUPTED = 130
    UNREAD = 141


WORST_FIRST = (Exit.BUG, Exit.WRONG_INPUT, Exit.FAILS, Exit.UNDECIDED, Exit.HOLDS)
"""Exit statuses in order of precedence: a command over many tasks has the first that occurred."""


class Format(StrEnum):
    """Output format of a command."""

    text = "text"
    json = "json"


class CallError(PlanspecError):
    """A call that names something that does not exist or cannot be read; exit status 2."""


class CommandInterrupt(BaseException):
    """Ctrl-C. Not KeyboardInterrupt, for which the command-line library has its own exit status."""


def command_group(help: str, cls: type[typer.core.TyperGroup] = typer.core.TyperGroup) -> typer.Typer:
    """Return a group of commands, with the same plain help as single commands."""
    return typer.Typer(
        help=help,
        cls=cls,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )


def collect_often() -> None:
    """Collect garbage regularly; for commands over many tasks. Others end before it matters."""
    gc.set_threshold(20_000, 10, 10)


def worst(codes: Iterable[Exit]) -> Exit:
    """Return the exit status of a command over many tasks."""
    occurred = set(codes)
    return next((code for code in WORST_FIRST if code in occurred), Exit.HOLDS)


def leave(code: Exit) -> NoReturn:
    """End the command."""
    raise typer.Exit(int(code))


def print_json(value: Any) -> None:
    """Print one JSON document on standard output, from plain data, dataclasses or models.

    The text is ASCII unless the output is Unicode, since JSON has no other encodings.
    """
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("_", "-").startswith("utf")
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=not unicode) + "\n")


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on standard error, without those printed before in the same call."""
    from planspec.dsl.diagnostics.rendering import render_text

    color = colored(sys.stderr)
    print_message(tuple(DiagnosticText(one.code, render_text([one], color=color)) for one in diagnostics))


def report_error(error: PlanspecError) -> Exit:
    """Print what went wrong, and return the exit code: the only place where errors get words and codes."""
    match error:
        case DiagnosticError():
            show_diagnostics(error.diagnostics)
        case NotFoundError():
            note(f"error[PS702]: {error}")
        case LimitReachedError():
            note(f"unknown: {error}")
        case InternalError():
            return report_bug(error)
        case _:
            note(f"error: {error}")
    return Exit(error.exit_code)


def report_bug(error: Exception) -> Exit:
    """Print that planspec has a bug.

    Raises:
        Exception: the error itself, if the environment requests tracebacks.
    """
    if os.environ.get("PLANSPEC_DEBUG"):
        raise error
    task = f" (task {error.task_hash[:16]})" if isinstance(error, InternalError) else ""
    note(f"error[PS901]: this is a bug in planspec: {type(error).__name__}: {error}{task}")
    note("please report it with the files that show it; PLANSPEC_DEBUG=1 prints the traceback")
    return Exit(InternalError.exit_code)


DISK = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
"""Prefixes of SQLite's names for failures of the disk and its permissions."""


def report_failure(error: Exception) -> Exit:
    """Print what went wrong, and return the exit code; errors of the machine count as wrong input."""
    if not isinstance(error, PlanspecError) and is_out_of_memory(error):
        return report_error(LimitReachedError("memory"))
    import sqlite3  # there may be no memory for it, either

    match error:
        case PlanspecError():
            return report_error(error)
        case ModuleNotFoundError(name=str() as name) if not name.startswith("planspec"):
            note(f"error: {_missing(name, str(error))}")
        case OSError(filename=str() | bytes() | Path() as name, strerror=str() as reason):
            note(f"error: `{os.fsdecode(name)}`: {reason}")
        case OSError():  # some system calls do not report the file concerned
            note(f"error: {error.strerror or error}")
        case sqlite3.OperationalError(sqlite_errorname=str() as name) if name.startswith(DISK):
            note(f"error: a database cannot be read or written: {error}")
        case _:
            return report_bug(error)
    return Exit.WRONG_INPUT


def _missing(module: str, message: str) -> str:
    """Return a sentence about a missing package, or the message if that has a `pip install` command."""
    if "pip install" in message:
        return message
    top = module.partition(".")[0]
    if extra := EXTRA_OF.get(top):
        return f"this needs an extra, for `{top}`: {install_command(extra)}"
    package = {"yaml": "pyyaml"}.get(top, top)
    return f"this needs the package `{package}`, which is not installed: pip install {package}"


def note(message: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(message + "\n")


WIDEST = 100
"""Longest line of a rule's text, in characters."""


def check_backends(*names: str) -> None:
    """Refuse back ends that do not exist.

    Raises:
        CallError: there is no back end of one of the names.
    """
    for name in names:
        if name not in BACKENDS:
            raise CallError(f"there is no back end `{name}`; there are {', '.join(BACKENDS)}")


def named_backends(names: str) -> tuple[str, ...]:
    """Return the back ends that a call names, separated by commas.

    Raises:
        CallError: it names none, or one that does not exist.
    """
    backends = tuple(name.strip() for name in names.split(",") if name.strip())
    check_backends(*backends)
    if not backends:
        raise CallError(f"no back end is named; there are {', '.join(BACKENDS)}")
    return backends


def warn_without_scope(task: Task) -> None:
    """Warn if a task has no scope, so that a search has no rows to choose from."""
    from planspec.dsl.documents.search_scope import without_scope

    missing = without_scope(task)
    if missing is not None:
        note(f"warning[PS412]: {missing}")


def read_bytes(name: str, what: str, most: int = RECORDS_BYTES) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Args:
        name: name of the file.
        what: content of the file, for messages.
        most: largest number of bytes.

    Raises:
        CallError: the file cannot be read.
    """
    if name == "-":
        try:
            return reading.read_stream(_open_input(what), "standard input", most)
        except OSError as error:
            raise CallError(f"standard input cannot be read: {error.strerror}") from None
    try:
        return reading.read_bytes(named_file(name, what), most)
    except OSError as error:
        raise CallError(f"`{name}` cannot be read: {error.strerror}") from None


def _open_input(what: str) -> BinaryIO:
    """Return standard input; on a terminal, print a note first.

    Raises:
        CallError: standard input is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise CallError(f"standard input is closed; {what} was expected from it")
    if sys.stdin.isatty():
        note(f"reading {what} from standard input; Ctrl-D ends it")
    return sys.stdin.buffer


def standard_input(what: str) -> Iterator[bytes]:
    """Yield the lines of standard input as they arrive.

    Args:
        what: content of the lines, for messages.

    Raises:
        CallError: standard input cannot be read.
    """
    from planspec.scores.answer_lines import stream_lines

    opened = _open_input(what)
    try:
        yield from stream_lines(opened)
    except OSError as error:
        raise CallError(f"standard input cannot be read: {error.strerror}") from None


INSPECT_LOG = ".eval"
"""Suffix of Inspect's logs, which are accepted in place of runs and answers."""


def named_file(name: str, what: str) -> Path:
    """Return the file that a call names.

    Args:
        name: name of the file.
        what: content of the file, for messages.

    Raises:
        CallError: it does not exist, or is a folder.
    """
    path = Path(name)
    if path.is_dir():
        raise CallError(f"`{name}` is a folder; {what} must be a file")
    if not path.exists():
        raise CallError(f"there is no file `{name}`")
    return path


def one_line(span: Span) -> str:
    """Return a rule's text on one line, cut if it is long."""
    return cut(" ".join(span.text.split()))


def cut(text: str) -> str:
    """Return a line, cut if it is long."""
    return text if len(text) <= WIDEST else text[: WIDEST - 3].rstrip() + "..."


def write_envelope(path: Path, task: str, plan: Any) -> None:
    """Write a plan with the id of its task."""
    text = json.dumps({"task": task, "plan": plan}, indent=2, ensure_ascii=False)
    replace_text(path, text + "\n")


def answered_task(given: str | None, named: str | None) -> Task:
    """Return the task that an answer is for.

    Args:
        given: task that the call names, or None.
        named: task that the answer names; used if the call names none.

    Raises:
        CallError: neither names one.
        NotFoundError: there is no such task, or there are several.
        DiagnosticError: the task has errors.
    """
    from planspec.api.loading import load
    from planspec.errors import NotFoundError

    name = given or named
    if name is None:
        raise CallError("the answer does not name its task; name it with --task TASK")
    try:
        task = load(name)
    except NotFoundError as error:
        if given is not None:
            raise
        raise NotFoundError(f"the answer's task: {error}; --task TASK says which it is for") from None
    if given is None:
        _note_shipped(name)
    return task


def check_writable(path: Path | None) -> None:
    """Refuse an output file that cannot be written, before the work for it begins.

    Raises:
        CallError: it is a folder, lies in no folder, or is not writable.
    """
    if path is None:
        return
    if path.is_dir():
        raise CallError(f"`{path}` is a folder; the output must be a file")
    if not path.parent.is_dir():
        raise CallError(f"there is no folder `{path.parent}` for `{path.name}`")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CallError(f"`{path}` cannot be written")


def not_nan(value: float | None) -> float | None:
    """Refuse NaN as an option's value, since typer's minimum lets it pass.

    Raises:
        BadParameter: the value is NaN.
    """
    if value is not None and value != value:  # noqa: PLR0124 NaN alone differs from itself
        raise typer.BadParameter("nan is not a number of seconds")
    return value


def refuse_overwriting(outputs: Iterable[Path | None], inputs: Iterable[Path | str]) -> None:
    """Refuse outputs that would overwrite inputs.

    Args:
        outputs: files to write; None stands for no file.
        inputs: files that are read.

    Raises:
        CallError: an output is also an input.
    """
    read = {path.resolve() for name in inputs if (path := Path(name)).is_file()}
    for output in outputs:
        if output is not None and output.resolve() in read:
            raise CallError(f"`{output}` is an input of this command, and would be overwritten")


def note_folder(name: str | None) -> None:
    """Note that a folder takes precedence if its name is also a suite's id."""
    from planspec.api.catalog import Catalog
    from planspec.dsl.workspace.workspace import shown

    folder = Path(name or "")
    if name and "/" not in name and name not in (".", "..") and folder.is_dir():
        suites = Catalog().workspace.find("suite", name, Path.cwd())
        others = [path for path in suites if not path.resolve().is_relative_to(folder.resolve())]
        if others:
            note(f"note: `{name}` is the folder here, not the suite of that id in {shown(others[0])}")


def _note_shipped(name: str) -> None:
    """Note that a shipped task was chosen, if the name is a bare number, which other suites use too."""
    from planspec.api.catalog import Catalog

    if name.partition("@")[0].isdigit():
        catalog = Catalog()
        path = catalog.named(name).path
        if path.is_relative_to(catalog.workspace.shipped):
            note(
                f"`{name}` is a task of {path.parent.parent.name}, which ships with planspec; choose another with --task"
            )
