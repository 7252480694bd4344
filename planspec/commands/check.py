"""`check`: diagnostics of documents, as text, for editors and for code hosts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_documents
from planspec.commands.console import (
    CommandLineError,
    Exit,
    GivenValues,
    leave,
    note,
    parse_given,
    print_json,
    read_bytes,
)
from planspec.commands.jobs import NumberOfJobs
from planspec.commands.messages import explain_hint
from planspec.commands.progress import show_spinner
from planspec.commands.repeated_findings import first_of_each_kind
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option
from planspec.commands.terminal import is_colored
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Severity
from planspec.dsl.resources.limits import DOCUMENT_BYTES
from planspec.text import align

if TYPE_CHECKING:
    from planspec.api.outputs.claims import StageOutput
    from planspec.dsl.workspace.workspace import Workspace

STDIN = Path("-")
StdinName = Annotated[
    Path,
    typer.Option(
        "--stdin-filename",
        metavar="FILE",
        help="The file whose text is on standard input (`-`): messages name it, and paths in the text are relative to it.",
    ),
]
DEFAULT_STDIN_NAME = Path("stdin.yaml")


class CheckFormat(StrEnum):
    """Output format of `check`."""

    text = "text"
    line = "line"
    json = "json"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    junit = "junit"


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files, folders, ids of tasks or suites, or `-`; if left out, the current folder.",
            metavar="[PATH...]",
            autocompletion=complete_documents,
        ),
    ] = None,
    format: Annotated[CheckFormat, typer.Option(help="How to print.")] = CheckFormat.text,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also find, by a solver, rules that have no effect or cannot hold.")
    ] = False,
    timeout: Annotated[float | None, timeout_option("each task with --deep")] = None,
    effort: EffortLimit = None,
    jobs: NumberOfJobs = 1,
    stages: Annotated[
        bool,
        typer.Option(
            "--stages",
            help="Also print the type and the stage (static or planned) of each definition, constraint and domain of a task, as text or JSON.",
        ),
    ] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="Print every mistake in a table of tasks, not only the first three of each code."),
    ] = False,
    stdin_filename: StdinName = DEFAULT_STDIN_NAME,
    given: GivenValues = None,
) -> None:
    """Find every mistake in documents.

    Prints each mistake with its lines and a caret under it. In a table of tasks, only the first three mistakes of each
    code are printed.
    """
    from planspec.api.checking import check as check_all
    from planspec.api.proofs import lint_report
    from planspec.dsl.diagnostics.rendering import summary_text
    from planspec.dsl.workspace.workspace import Workspace

    if stages and format not in (CheckFormat.text, CheckFormat.json):
        raise CommandLineError(f"--stages prints text or json, not {format.value}")
    workspace = Workspace()
    named = [_resolve_path(path, stdin_filename, workspace) for path in paths or [Path()]]
    undecided: list[str] = []
    notes: list[str] = []
    checked: list[Path] = []
    with show_spinner("checking") as notify:

        def report_progress(number: int, count: int, path: Path) -> None:
            checked.append(path)
            notify(f"{number} of {count}: {path.name}")

        lint = partial(lint_report, limits=search_limits(timeout, effort)) if deep else None
        diagnostics = check_all(
            named,
            workspace=workspace,
            deep=lint,
            on_progress=report_progress,
            on_undecided=undecided.append,
            on_note=notes.append,
            jobs=jobs,
            given=parse_given(given),
        )
    stage_rows = _stage_outputs(checked) if stages else []
    shown, repeated = (diagnostics, []) if every or format is not CheckFormat.text else first_of_each_kind(diagnostics)
    _print(shown, checked, stage_rows if stages else None, format)
    sys.stdout.writelines(f"{each}\n" for each in repeated)
    if not checked:
        note(f"warning: there is no document in {', '.join(f'`{path}`' for path in named)}")
    else:
        note(
            f"{summary_text(diagnostics)}; {explain_hint(x.code for x in diagnostics)}"
            if diagnostics
            else "no mistakes found"
        )
    for sentence in notes:
        note(sentence)
    for task in undecided:
        note(f"{task}: not everything was decided in time")
    bad = any(d.severity is Severity.ERROR for d in diagnostics) or (strict and (diagnostics or not checked))
    leave(Exit.WRONG_INPUT if bad else Exit.UNDECIDED if undecided else Exit.HOLDS)


def read_stdin_document(name: Path) -> str:
    """Return the text of the document on standard input.

    Args:
        name: file name of the document in messages.

    Raises:
        CommandLineError: standard input cannot be read, or `name` does not end with .yaml or .yml.
    """
    if name.suffix not in (".yaml", ".yml"):
        raise CommandLineError(
            f"a document's file name ends with .yaml or .yml, and `{name}` (--stdin-filename) does not"
        )
    try:
        return read_bytes("-", "a document", DOCUMENT_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CommandLineError(f"standard input is not UTF-8 (byte {error.start})") from None


def _resolve_path(path: Path, stdin_name: Path, workspace: Workspace) -> Path:
    """Return the path of an argument. For `-` it is `stdin_name`, under which the workspace then has standard input.

    Raises:
        CommandLineError: the file or folder does not exist.
    """
    from planspec.dsl.workspace.shards import split_task_path

    if path == STDIN:
        workspace.hold(stdin_name, read_stdin_document(stdin_name))
        return stdin_name
    inside = split_task_path(path)
    file = path if inside is None else inside[0]
    if not file.exists() and (path.suffix or len(path.parts) > 1):
        raise CommandLineError(f"there is no file or folder `{path}`")
    return path


def _print(
    diagnostics: Sequence[Diagnostic],
    checked: Sequence[Path],
    stages: list[StageOutput] | None,
    format: CheckFormat,
) -> None:
    from importlib.metadata import version

    from planspec.api.outputs.claims import CheckStagesOutput
    from planspec.dsl.diagnostics import code_hosts, rendering
    from planspec.dsl.diagnostics.sarif import render_sarif
    from planspec.dsl.resources.paths import shown_path

    out = sys.stdout.write
    match format:
        case CheckFormat.text:
            out(rendering.render_text(diagnostics, color=is_colored(sys.stdout)))
            rows = [
                (x.stage, x.kind, x.name, f"{x.type}{'?' if x.optional else ''}", f"{x.file}:{x.line}")
                for x in stages or ()
            ]
            sys.stdout.writelines(f"{line}\n" for line in align(rows, min_widths=(7, 10, 23)))
        case CheckFormat.line:
            sys.stdout.writelines(rendering.render_line(diagnostic) + "\n" for diagnostic in diagnostics)
        case CheckFormat.json if stages is not None:
            rendered = [rendering.diagnostic_json(diagnostic) for diagnostic in diagnostics]
            print_json(CheckStagesOutput(diagnostics=rendered, stages=stages))
        case CheckFormat.json:
            print_json(rendering.render_json(diagnostics))
        case CheckFormat.sarif:
            print_json(render_sarif(diagnostics, version=version("planspec")))
        case CheckFormat.github:
            sys.stdout.writelines(code_hosts.github_line(diagnostic) + "\n" for diagnostic in diagnostics)
        case CheckFormat.gitlab:
            print_json(code_hosts.gitlab_report(diagnostics))
        case CheckFormat.junit:
            out(code_hosts.junit_report(diagnostics, [shown_path(path) for path in checked]) + "\n")


def _stage_outputs(paths: Iterable[Path]) -> list[StageOutput]:
    """Return the type and evaluation stage of every definition, constraint and domain in tasks.

    Other documents and tasks with errors are skipped.
    """
    from planspec.api.outputs.claims import StageOutput
    from planspec.dsl.diagnostics.diagnostic import Report
    from planspec.dsl.documents.documents import check_document
    from planspec.dsl.documents.inferred import inferred_types
    from planspec.dsl.model.task import Task
    from planspec.dsl.workspace.workspace import Workspace

    workspace = Workspace()
    rows: list[StageOutput] = []
    for path in paths:
        report = Report()
        opened = workspace.open(path, report)
        task = check_document(opened, workspace, report) if opened is not None else None
        if isinstance(task, Task):
            rows += [
                StageOutput(
                    stage=line.stage.value,
                    kind=line.kind,
                    name=line.name,
                    type=str(line.type),
                    optional=line.optional,
                    file=line.span.source.name,
                    line=line.span.line,
                )
                for line in inferred_types(task)
            ]
    return rows
