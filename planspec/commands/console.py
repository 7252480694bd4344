"""The console that commands share: exit codes, printing, reading of files that a caller names."""

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

from planspec.commands.terminal import colored
from planspec.commands.utterances import DiagnosticText, say
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.resources import reading
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.errors import (
    DiagnosticError,
    InternalError,
    LimitReachedError,
    NotFoundError,
    PlanspecError,
    is_memory,
)
from planspec.extras import EXTRA_OF, install
from planspec.files import replace_text
from planspec.solvers.backends.register import BACKENDS

if TYPE_CHECKING:
    from planspec.dsl.diagnostics.source import Span
    from planspec.dsl.model.task import Task


class Exit(IntEnum):
    """The exit status of a command."""

    HOLDS = 0
    FAILS = 1
    WRONG_INPUT = 2
    UNDECIDED = 3
    BUG = 70
    INTERRUPTED = 130
    UNREAD = 141


WORST = (Exit.BUG, Exit.WRONG_INPUT, Exit.FAILS, Exit.UNDECIDED, Exit.HOLDS)
"""Over many tasks the first of these that occurred."""


class Format(StrEnum):
    """The form in which a command prints."""

    text = "text"
    json = "json"


class CallError(PlanspecError):
    """The call names something that is not there or cannot be read; exits 2."""


class CommandInterrupt(BaseException):
    """Ctrl-C. Not KeyboardInterrupt, which the command-line library would turn into an exit status of its own."""


def command_group(help: str, cls: type[typer.core.TyperGroup] = typer.core.TyperGroup) -> typer.Typer:
    """Commands under one name, with the plain help that single commands have."""
    return typer.Typer(
        help=help,
        cls=cls,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )


def collect_as_it_goes() -> None:
    """Call at the start of a command over many tasks, which would keep all that it made: others end before it matters."""
    gc.set_threshold(20_000, 10, 10)


def worst(codes: Iterable[Exit]) -> Exit:
    """The exit status of many tasks."""
    found = set(codes)
    return next((code for code in WORST if code in found), Exit.HOLDS)


def leave(code: Exit) -> NoReturn:
    """End the command."""
    raise typer.Exit(int(code))


def print_json(value: Any) -> None:
    """One JSON document on standard output: of data, or of the dataclasses and models that stand for it.

    It is ASCII where the output is not Unicode, since JSON in another encoding is none.
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
    """Diagnostics for people, on standard error; those that were shown before in the same call are left out."""
    from planspec.dsl.diagnostics.rendering import render_text

    color = colored(sys.stderr)
    say(tuple(DiagnosticText(shown.code, render_text([shown], color=color)) for shown in diagnostics))


def tell(error: PlanspecError) -> Exit:
    """Say what went wrong: the one way from an error to words and an exit code."""
    match error:
        case DiagnosticError():
            show_diagnostics(error.diagnostics)
        case NotFoundError():
            note(f"error[PS702]: {error}")
        case LimitReachedError():
            note(f"unknown: {error}")
        case InternalError():
            return tell_bug(error)
        case _:
            note(f"error: {error}")
    return Exit(error.exit_code)


def tell_bug(error: Exception) -> Exit:
    """Say that planspec itself is wrong.

    Raises:
        Exception: the error itself, if the environment asks for tracebacks.
    """
    if os.environ.get("PLANSPEC_DEBUG"):
        raise error
    of = f" (task {error.task_hash[:16]})" if isinstance(error, InternalError) else ""
    note(f"error[PS901]: this is a bug in planspec: {type(error).__name__}: {error}{of}")
    note("please report it with the files that show it; PLANSPEC_DEBUG=1 prints the traceback")
    return Exit(InternalError.exit_code)


DISK = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
"""SQLite's names for failures of the disk and of its permissions, without their details."""


def tell_failure(error: Exception) -> Exit:
    """Say what went wrong; errors of planspec have their exit codes, those of the machine are wrong input."""
    if not isinstance(error, PlanspecError) and is_memory(error):
        return tell(LimitReachedError("memory"))
    import sqlite3  # it may not fit, either

    match error:
        case PlanspecError():
            return tell(error)
        case ModuleNotFoundError(name=str() as name) if not name.startswith("planspec"):
            note(f"error: {_missing(name, str(error))}")
        case OSError(filename=str() | bytes() | Path() as name, strerror=str() as reason):
            note(f"error: `{os.fsdecode(name)}`: {reason}")
        case OSError():  # of the machine, whose calls do not all say which file they were about
            note(f"error: {error.strerror or error}")
        case sqlite3.OperationalError(sqlite_errorname=str() as name) if name.startswith(DISK):
            note(f"error: a database cannot be read or written: {error}")
        case _:
            return tell_bug(error)
    return Exit.WRONG_INPUT


def _missing(module: str, said: str) -> str:
    """The sentence that a package is not installed; what already says how to get it stays as it is."""
    if "pip install" in said:
        return said
    top = module.partition(".")[0]
    if extra := EXTRA_OF.get(top):
        return f"this needs an extra, for `{top}`: {install(extra)}"
    package = {"yaml": "pyyaml"}.get(top, top)
    return f"this needs the package `{package}`, which is not installed: pip install {package}"


def note(message: str) -> None:
    """A line on standard error."""
    sys.stderr.write(message + "\n")


WIDEST = 100
"""The most characters of a rule's text that are shown on a line."""


def known_backend(*names: str) -> None:
    """Refuse back ends that do not exist.

    Raises:
        CallError: there is none of that name.
    """
    for name in names:
        if name not in BACKENDS:
            raise CallError(f"there is no back end `{name}`; there are {', '.join(BACKENDS)}")


def named_backends(names: str) -> tuple[str, ...]:
    """The back ends that a call names, separated by commas.

    Raises:
        CallError: it names none, or one that does not exist.
    """
    found = tuple(name.strip() for name in names.split(",") if name.strip())
    known_backend(*found)
    if not found:
        raise CallError(f"no back end is named; there are {', '.join(BACKENDS)}")
    return found


def warn_without_scope(task: Task) -> None:
    """Say of a task without a scope that a search finds nothing in its plan's tables."""
    from planspec.dsl.documents.search_scope import without_scope

    missing = without_scope(task)
    if missing is not None:
        note(f"warning[PS412]: {missing}")


def read_bytes(name: str, what: str, most: int = RECORDS_BYTES) -> bytes:
    """The bytes of a file, or of standard input for `-`.

    Args:
        name: the file.
        what: is in it, for messages.
        most: how many bytes there may be.

    Raises:
        CallError: it cannot be read.
    """
    if name == "-":
        try:
            return reading.read_stream(_opened_input(what), "standard input", most)
        except OSError as error:
            raise CallError(f"standard input cannot be read: {error.strerror}") from None
    try:
        return reading.read_bytes(named_file(name, what), most)
    except OSError as error:
        raise CallError(f"`{name}` cannot be read: {error.strerror}") from None


def _opened_input(what: str) -> BinaryIO:
    """Standard input, with a note to who would have to type.

    Raises:
        CallError: it is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise CallError(f"standard input is closed; {what} was to come from it")
    if sys.stdin.isatty():
        note(f"reading {what} from standard input; Ctrl-D ends it")
    return sys.stdin.buffer


def standard_input(what: str) -> Iterator[bytes]:
    """The lines of standard input, as they come.

    Args:
        what: is in it, for messages.

    Raises:
        CallError: it cannot be read.
    """
    from planspec.scores.answer_lines import stream_lines

    opened = _opened_input(what)
    try:
        yield from stream_lines(opened)
    except OSError as error:
        raise CallError(f"standard input cannot be read: {error.strerror}") from None


INSPECT_LOG = ".eval"
"""The ending of logs of Inspect, which are read where runs and answers are."""


def named_file(name: str, what: str) -> Path:
    """The file that a call names.

    Args:
        name: the file.
        what: is in it, for messages.

    Raises:
        CallError: it is not there, or is a folder.
    """
    path = Path(name)
    if path.is_dir():
        raise CallError(f"`{name}` is a folder; {what} is a file")
    if not path.exists():
        raise CallError(f"there is no file `{name}`")
    return path


def one_line(span: Span) -> str:
    """A rule's text on one line, cut where it is long."""
    return cut(" ".join(span.text.split()))


def cut(text: str) -> str:
    """A text of one line, cut where it is long."""
    return text if len(text) <= WIDEST else text[: WIDEST - 3].rstrip() + "..."


def write_envelope(path: Path, task: str, plan: Any) -> None:
    """Write an answer with the id of its task."""
    text = json.dumps({"task": task, "plan": plan}, indent=2, ensure_ascii=False)
    replace_text(path, text + "\n")


def answered_task(given: str | None, told: str | None) -> Task:
    """The task that an answer is for.

    Args:
        given: as the call names it.
        told: as the answer does; counts where the call does not.

    Raises:
        CallError: neither names one.
        NotFoundError: there is none of that name, or there are several.
        DiagnosticError: it has errors.
    """
    from planspec.api.loading import load
    from planspec.errors import NotFoundError

    named = given or told
    if named is None:
        raise CallError("the answer does not say which task it is for; name it with --task TASK")
    try:
        made = load(named)
    except NotFoundError as error:
        if given is not None:
            raise
        raise NotFoundError(f"the answer's task: {error}; --task TASK says which it is for") from None
    if given is None:
        _note_what_ships(named)
    return made


def check_writable(path: Path | None) -> None:
    """Refuse a place for output where nothing can be written, before work is done for it.

    Raises:
        CallError: it is a folder, or there is no folder for it.
    """
    if path is None:
        return
    if path.is_dir():
        raise CallError(f"`{path}` is a folder; the output is a file")
    if not path.parent.is_dir():
        raise CallError(f"there is no folder `{path.parent}` for `{path.name}`")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CallError(f"`{path}` cannot be written")


def not_nan(value: float | None) -> float | None:
    """An option's number, unless it is none: the least that an option takes lets NaN pass.

    Raises:
        BadParameter: it is none.
    """
    if value is not None and value != value:  # noqa: PLR0124 NaN alone differs from itself
        raise typer.BadParameter("nan is no number of seconds")
    return value


def refuse_overwriting(outputs: Iterable[Path | None], inputs: Iterable[Path | str]) -> None:
    """Refuse outputs that would take the place of what is read.

    Args:
        outputs: files to be written; None is no file.
        inputs: files that are read.

    Raises:
        CallError: one of them is the same file.
    """
    there = {path.resolve() for name in inputs if (path := Path(name)).is_file()}
    for output in outputs:
        if output is not None and output.resolve() in there:
            raise CallError(f"`{output}` is read here, and would be overwritten")


def note_folder(name: str | None) -> None:
    """Say of a name that is a folder and the id of a suite elsewhere, too, that the folder is meant."""
    from planspec.api.catalog import Catalog
    from planspec.dsl.workspace.workspace import shown

    folder = Path(name or "")
    if name and "/" not in name and name not in (".", "..") and folder.is_dir():
        suites = Catalog().workspace.find("suite", name, Path.cwd())
        others = [path for path in suites if not path.resolve().is_relative_to(folder.resolve())]
        if others:
            note(f"note: `{name}` is the folder here, not the suite of that id in {shown(others[0])}")


def _note_what_ships(name: str) -> None:
    """Say where a task was found that an answer names by a bare number, as many suites do, if it is one that ships."""
    from planspec.api.catalog import Catalog

    if name.partition("@")[0].isdigit():
        catalog = Catalog()
        path = catalog.named(name).path
        if path.is_relative_to(catalog.workspace.shipped):
            note(
                f"`{name}` is a task of {path.parent.parent.name}, which ships with planspec; name another one with --task"
            )
