"""Shared parts of commands: exit codes, printing, and reading of files named on the command line."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NoReturn

import typer

from planspec.api.search import BACKENDS
from planspec.commands.messages import DiagnosticText, print_message
from planspec.commands.terminal import is_colored
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from planspec.dsl.resources import reading
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.errors import (
    InternalError,
    LimitReachedError,
    NotFoundError,
    PlanspecError,
    is_out_of_memory,
)
from planspec.extras import EXTRA_OF, install_command
from planspec.files import replace_text

if TYPE_CHECKING:
    from planspec.dsl.model.task import Task


class Exit(IntEnum):
    """Exit status of a command.

    Attributes:
        UNREAD: the process that read standard output has closed it.
    """

    HOLDS = 0
    FAILS = 1
    WRONG_INPUT = 2
    UNDECIDED = 3
    BUG = 70
    INTERRUPTED = 130
    UNREAD = 141


WORST_FIRST = (Exit.BUG, Exit.WRONG_INPUT, Exit.FAILS, Exit.UNDECIDED, Exit.HOLDS)
"""Exit statuses, most serious first. A command over many tasks exits with the most serious status of a task."""


class Format(StrEnum):
    """Output format of a command."""

    text = "text"
    json = "json"


class CommandLineError(PlanspecError):
    """The arguments contradict each other, or name something that does not exist or cannot be read."""


class CommandInterrupt(BaseException):
    """Ctrl-C was pressed.

    It is not a KeyboardInterrupt, after which Typer would end the program with an exit status of its own.
    """


def command_group(help: str, cls: type[typer.core.TyperGroup] = typer.core.TyperGroup) -> typer.Typer:
    """Return a group of commands whose help is plain text, like the help of single commands."""
    return typer.Typer(
        help=help,
        cls=cls,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )


def collect_garbage_often() -> None:
    """Collect garbage more often. This saves memory in commands over many tasks."""
    gc.set_threshold(20_000, 10, 10)


def worst_exit(codes: Iterable[Exit]) -> Exit:
    """Return the exit status of a command over many tasks: the most serious status of a task."""
    occurred = set(codes)
    return next((code for code in WORST_FIRST if code in occurred), Exit.HOLDS)


def leave(code: Exit) -> NoReturn:
    """End the command with an exit status."""
    raise typer.Exit(int(code))


def print_json(value: Any) -> None:
    """Print a value as one JSON document on standard output.

    Characters outside ASCII are escaped unless standard output is Unicode.

    Args:
        value: plain data, a dataclass, a Pydantic model, or a list of these.
    """
    sys.stdout.write(_json_text(_plain_data(value)) + "\n")


def print_long_json(value: Mapping[str, Any], name: str, items: Iterable[Any]) -> None:
    """Print a value like `print_json`, but stream one of its lists, which may be larger than memory.

    Args:
        value: plain data, with an empty list where the items belong.
        name: key of the list.
        items: its items, as plain data.
    """
    for number, (key, part) in enumerate(value.items()):
        sys.stdout.write(f"{',' if number else '{'}\n  {_json_text(key)}: ")
        if key != name:
            sys.stdout.write(_json_text(part).replace("\n", "\n  "))
            continue
        mark = "["
        for item in items:
            text = _json_text(item).replace("\n", "\n    ")
            sys.stdout.write(f"{mark}\n    {text}")
            mark = ","
        sys.stdout.write("[]" if mark == "[" else "\n  ]")
    sys.stdout.write("\n}\n")


def _json_text(value: Any) -> str:
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("_", "-").startswith("utf")
    return json.dumps(value, indent=2, ensure_ascii=not unicode)


def _plain_data(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, list):
        return [_plain_data(item) for item in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on standard error, without those that this command has already printed."""
    from planspec.dsl.diagnostics.rendering import render_text

    color = is_colored(sys.stderr)
    print_message(tuple(DiagnosticText(one.code, render_text([one], color=color)) for one in diagnostics))


def report_error(error: PlanspecError) -> Exit:
    """Print an error of planspec, and return its exit code."""
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
    """Print that planspec has a bug, and return the exit code.

    Raises:
        Exception: `error` itself, if an environment variable requests tracebacks.
    """
    if os.environ.get("PLANSPEC_DEBUG"):
        raise error
    task = f" (task {error.task_hash[:16]})" if isinstance(error, InternalError) else ""
    note(f"error[PS901]: this is a bug in planspec: {type(error).__name__}: {error}{task}")
    note("please report it with the files that show it; PLANSPEC_DEBUG=1 prints the traceback")
    return Exit(InternalError.exit_code)


DISK_ERRORS = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
"""Prefixes of the names of SQLite errors that are caused by the disk or by its permissions."""


def report_failure(error: Exception) -> Exit:
    """Print any error, and return its exit code.

    Errors of the operating system and missing packages count as wrong input.
    """
    if not isinstance(error, PlanspecError) and is_out_of_memory(error):
        return report_error(LimitReachedError("memory"))
    import sqlite3  # this import can fail if memory is short

    match error:
        case PlanspecError():
            return report_error(error)
        case ModuleNotFoundError(name=str() as name) if not name.startswith("planspec"):
            note(f"error: {_missing_package_message(name, str(error))}")
        case OSError(filename=str() | bytes() | Path() as name, strerror=str() as reason):
            note(f"error: `{os.fsdecode(name)}`: {reason}")
        case OSError():  # some system calls do not name the file in their errors
            note(f"error: {error.strerror or error}")
        case sqlite3.OperationalError(sqlite_errorname=str() as name) if name.startswith(DISK_ERRORS):
            note(f"error: a database cannot be read or written: {error}")
        case _:
            return report_bug(error)
    return Exit.WRONG_INPUT


def _missing_package_message(module: str, message: str) -> str:
    """Return a sentence on how to install a missing package.

    Args:
        module: name of the module that cannot be imported.
        message: message of the error, returned unchanged if it contains a `pip install` command.
    """
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


MAX_LINE_WIDTH = 100
"""Maximum length of a line of text, in characters."""


def check_backends(*names: str) -> None:
    """Check that back ends exist.

    Raises:
        CommandLineError: there is no back end with one of the names.
    """
    for name in names:
        if name not in BACKENDS:
            raise CommandLineError(f"there is no back end `{name}`; there are {', '.join(BACKENDS)}")


def parse_backends(names: str) -> tuple[str, ...]:
    """Parse names of back ends, separated by commas.

    Raises:
        CommandLineError: there is no name, or no back end with one of the names.
    """
    backends = tuple(name.strip() for name in names.split(",") if name.strip())
    check_backends(*backends)
    if not backends:
        raise CommandLineError(f"no back end is named; there are {', '.join(BACKENDS)}")
    return backends


def warn_if_no_scope(task: Task) -> None:
    """Warn if a task has no scope, without which a search has no rows to choose from."""
    from planspec.dsl.documents.search_scope import no_scope_message

    missing = no_scope_message(task)
    if missing is not None:
        note(f"warning[PS412]: {missing}")


def read_bytes(name: str, what: str, max_bytes: int = RECORDS_BYTES) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Args:
        name: path of the file, or `-`.
        what: content of the file, for messages, such as `the plan`.
        max_bytes: maximum size that is read.

    Raises:
        CommandLineError: the file cannot be read.
    """
    if name == "-":
        try:
            return reading.read_stream(_open_stdin(what), "standard input", max_bytes)
        except OSError as error:
            raise CommandLineError(f"standard input cannot be read: {error.strerror}") from None
    try:
        return reading.read_bytes(existing_file(name, what), max_bytes)
    except OSError as error:
        raise CommandLineError(f"`{name}` cannot be read: {error.strerror}") from None


def _open_stdin(what: str) -> BinaryIO:
    """Return standard input. If it is a terminal, print a note that input is expected.

    Raises:
        CommandLineError: standard input is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise CommandLineError(f"standard input is closed; {what} was expected from it")
    if sys.stdin.isatty():
        note(f"reading {what} from standard input; Ctrl-D ends it")
    return sys.stdin.buffer


def stdin_lines(what: str) -> Iterator[bytes]:
    """Yield the lines of standard input as they arrive.

    Args:
        what: content of the lines, for messages, such as `the answers`.

    Raises:
        CommandLineError: standard input cannot be read.
    """
    from planspec.scores.answer_lines import stream_lines

    opened = _open_stdin(what)
    try:
        yield from stream_lines(opened)
    except OSError as error:
        raise CommandLineError(f"standard input cannot be read: {error.strerror}") from None


INSPECT_LOG_SUFFIX = ".eval"
"""Suffix of logs of Inspect, which commands accept in place of runs and answers."""


def existing_file(name: str, what: str) -> Path:
    """Return the path of a file that must exist.

    Args:
        name: path of the file.
        what: content of the file, for messages, such as `the plan`.

    Raises:
        CommandLineError: the file does not exist, or is a folder.
    """
    path = Path(name)
    if path.is_dir():
        raise CommandLineError(f"`{name}` is a folder; {what} must be a file")
    if not path.exists():
        raise CommandLineError(f"there is no file `{name}`")
    return path


def shorten_line(text: str) -> str:
    """Return a line, shortened with `...` to `MAX_LINE_WIDTH` characters."""
    return text if len(text) <= MAX_LINE_WIDTH else text[: MAX_LINE_WIDTH - 3].rstrip() + "..."


def write_envelope(path: Path, task: str, plan: Any) -> None:
    """Write a JSON file with a plan and the id of its task (an envelope)."""
    text = json.dumps({"task": task, "plan": plan}, indent=2, ensure_ascii=False)
    replace_text(path, text + "\n")


GivenValues = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        help="Set the given NAME to VALUE (YAML) in the task and in its turns. May be repeated.",
        metavar="NAME=VALUE",
        show_default=False,
    ),
]


def parse_given(words: Sequence[str] | None) -> dict[str, str]:
    """Parse the values of givens on the command line, such as `budget=100`. Return them as strings by name.

    Raises:
        CommandLineError: a word is not of the form NAME=VALUE, or a name is repeated.
    """
    values: dict[str, str] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not (equals and name.isidentifier()) or "\n" in value:
            raise CommandLineError(f"`{word}` is not of the form NAME=VALUE, such as --given late=true")
        if name in values:
            raise CommandLineError(f"--given names `{name}` twice")
        values[name] = value
    return values


def load_answered_task(
    name_in_option: str | None, name_in_answer: str | None, given: Mapping[str, str] | None = None
) -> Task:
    """Load the task to which an answer belongs.

    Args:
        name_in_option: task named on the command line, or None.
        name_in_answer: task named in the answer, or None. It is used if the command line names none.
        given: new values of givens as YAML text, by the name of the given.

    Raises:
        CommandLineError: both are None.
        NotFoundError: there is no such task, or there are several.
        DiagnosticError: the task has errors.
    """
    from planspec.api.loading import load
    from planspec.errors import NotFoundError

    name = name_in_option or name_in_answer
    if name is None:
        raise CommandLineError("the answer does not name its task; name it with --task TASK")
    try:
        task = load(name, given=given)
    except NotFoundError as error:
        if name_in_option is not None:
            raise
        raise NotFoundError(f"the answer's task: {error}; --task TASK says which it is for") from None
    if name_in_option is None:
        _note_shipped_task(name)
    return task


def check_writable(path: Path | None) -> None:
    """Check that an output file can be written, before a long computation.

    Args:
        path: path of the file; None if nothing is written.

    Raises:
        CommandLineError: the path is a folder, its folder does not exist, or it is not writable.
    """
    if path is None:
        return
    if path.is_dir():
        raise CommandLineError(f"`{path}` is a folder; the output must be a file")
    if not path.parent.is_dir():
        raise CommandLineError(f"there is no folder `{path.parent}` for `{path.name}`")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandLineError(f"`{path}` cannot be written")


def reject_nan(value: float | None) -> float | None:
    """Return an option's value, unless it is NaN, which Typer's `min` accepts.

    Raises:
        BadParameter: the value is NaN.
    """
    if value is not None and value != value:  # noqa: PLR0124 NaN alone differs from itself
        raise typer.BadParameter("nan is not a number of seconds")
    return value


def forbid_overwriting(outputs: Iterable[Path | None], inputs: Iterable[Path | str]) -> None:
    """Check that no output file is also an input file.

    Args:
        outputs: files to write; None stands for no file.
        inputs: files to read.

    Raises:
        CommandLineError: an output file is also an input file.
    """
    read = {path.resolve() for name in inputs if (path := Path(name)).is_file()}
    for output in outputs:
        if output is not None and output.resolve() in read:
            raise CommandLineError(f"`{output}` is an input of this command, and would be overwritten")


def note_folder_precedence(name: str | None) -> None:
    """Print a note if a name is both a folder and the id of a suite. The folder takes precedence."""
    from planspec.api.catalog import Catalog
    from planspec.dsl.resources.paths import shown_path

    folder = Path(name or "")
    if name and "/" not in name and name not in (".", "..") and folder.is_dir():
        suites = Catalog().workspace.find("suite", name, Path.cwd())
        others = [path for path in suites if not path.resolve().is_relative_to(folder.resolve())]
        if others:
            note(f"note: `{name}` is the folder here, not the suite of that id in {shown_path(others[0])}")


def _note_shipped_task(name: str) -> None:
    """Print a note if a bare number was resolved to a shipped task. Other suites also use numbers as ids."""
    from planspec.api.catalog import Catalog

    if name.partition("@")[0].isdigit():
        catalog = Catalog()
        path = catalog.named(name).path
        if path.is_relative_to(catalog.workspace.shipped):
            note(
                f"`{name}` is a task of {path.parent.parent.name}, which ships with planspec; choose another with --task"
            )
