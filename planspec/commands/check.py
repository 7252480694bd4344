"""`check`: everything that is wrong with documents, for people, editors and code hosts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import documents
from planspec.commands.console import CallError, Exit, leave, note, print_json, read_bytes
from planspec.commands.jobs import NumberOfJobs
from planspec.commands.progress import waiting
from planspec.commands.search_limits import Effort, search_limits, timeout_option
from planspec.commands.terminal import colored
from planspec.commands.utterances import more_about
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Severity
from planspec.dsl.resources.limits import DOCUMENT_BYTES
from planspec.text_table import align

if TYPE_CHECKING:
    from planspec.api.outputs.claims import StageOutput
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.lint import LintReport
    from planspec.verifiers.meaning.ground import Ground

STDIN = Path("-")
StdinName = Annotated[
    Path,
    typer.Option(
        "--stdin-filename", metavar="FILE",
        help="The file whose text is on standard input (`-`): messages name it, and paths in the text start there.",
    ),
]  # fmt: skip
UNNAMED = Path("stdin.yaml")


class CheckFormat(StrEnum):
    """The form in which `check` prints."""

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
            metavar="[PATH...]", autocompletion=documents,
        ),
    ] = None,
    format: Annotated[CheckFormat, typer.Option(help="How to print.")] = CheckFormat.text,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also ask a solver which rules do nothing or cannot hold.")
    ] = False,
    timeout: Annotated[float | None, timeout_option("each task with --deep")] = None,
    effort: Effort = None,
    jobs: NumberOfJobs = 1,
    stages: Annotated[
        bool, typer.Option("--stages", help="Also print the type and stage of everything (text and json).")
    ] = False,
    stdin_filename: StdinName = UNNAMED,
) -> None:  # fmt: skip
    """Find every mistake in documents.

    Prints each mistake with its lines and a caret under it.
    """
    from planspec.api.checking import check as check_all
    from planspec.dsl.diagnostics.rendering import summary
    from planspec.dsl.workspace.workspace import Workspace

    if stages and format not in (CheckFormat.text, CheckFormat.json):
        raise CallError(f"--stages prints text or json, not {format.value}")
    workspace = Workspace()
    named = [_given(path, stdin_filename, workspace) for path in paths or [Path()]]
    undecided: list[str] = []
    notes: list[str] = []
    checked: list[Path] = []
    with waiting("checking") as say:

        def told(number: int, count: int, path: Path) -> None:
            checked.append(path)
            say(f"{number} of {count}: {path.name}")

        lint = partial(_lint, search_limits(timeout, effort)) if deep else None
        found = check_all(
            named,
            workspace=workspace,
            deep=lint,
            on_progress=told,
            on_undecided=undecided.append,
            on_note=notes.append,
            jobs=jobs,
        )
    known = _stages(checked) if stages else []
    _print(found, checked, known if stages else None, format)
    if not checked:
        note(f"warning: there is no document in {', '.join(f'`{path}`' for path in named)}")
    else:
        note(f"{summary(found)}; {more_about(x.code for x in found)}" if found else "no mistakes found")
    for sentence in notes:
        note(sentence)
    for task in undecided:
        note(f"{task}: not everything was decided in time")
    bad = any(d.severity is Severity.ERROR for d in found) or (strict and (found or not checked))
    leave(Exit.WRONG_INPUT if bad else Exit.UNDECIDED if undecided else Exit.HOLDS)


def standard_input(name: Path) -> str:
    """The document on standard input.

    Raises:
        CallError: it cannot be read, or the name for it is that of no document.
    """
    if name.suffix not in (".yaml", ".yml"):
        raise CallError(f"a document's file is called `*.yaml`, and `{name}` (--stdin-filename) is not")
    try:
        return read_bytes("-", "a document", DOCUMENT_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CallError(f"standard input is not UTF-8 (byte {error.start})") from None


def _given(path: Path, stdin_name: Path, workspace: Workspace) -> Path:
    """The file or folder that is meant, or an id; standard input as the file that it stands for.

    Raises:
        CallError: there is none.
    """
    from planspec.dsl.workspace.shards import shard_of

    if path == STDIN:
        workspace.hold(stdin_name, standard_input(stdin_name))
        return stdin_name
    inside = shard_of(path)
    file = path if inside is None else inside[0]
    if not file.exists() and (path.suffix or len(path.parts) > 1):
        raise CallError(f"there is no file or folder `{path}`")
    return path


def _lint(limits: Limits, known: Ground) -> LintReport:
    from planspec.solvers.questions.lint import sense

    return sense(known, limits=limits)


def _print(
    found: Sequence[Diagnostic],
    checked: Sequence[Path],
    stages: list[StageOutput] | None,
    format: CheckFormat,
) -> None:
    from importlib.metadata import version

    from planspec.api.outputs.claims import CheckStagesOutput
    from planspec.dsl.diagnostics import code_hosts, rendering
    from planspec.dsl.diagnostics.sarif import render_sarif
    from planspec.dsl.workspace.workspace import shown

    out = sys.stdout.write
    match format:
        case CheckFormat.text:
            out(rendering.render_text(found, color=colored(sys.stdout)))
            rows = [
                (x.stage, x.kind, x.name, f"{x.type}{'?' if x.optional else ''}", f"{x.file}:{x.line}")
                for x in stages or ()
            ]
            sys.stdout.writelines(f"{line}\n" for line in align(rows, least=(7, 10, 23)))
        case CheckFormat.line:
            sys.stdout.writelines(rendering.render_line(diagnostic) + "\n" for diagnostic in found)
        case CheckFormat.json if stages is not None:
            diagnostics = [rendering.diagnostic_json(diagnostic) for diagnostic in found]
            print_json(CheckStagesOutput(diagnostics=diagnostics, stages=stages))
        case CheckFormat.json:
            print_json(rendering.render_json(found))
        case CheckFormat.sarif:
            print_json(render_sarif(found, version=version("planspec")))
        case CheckFormat.github:
            sys.stdout.writelines(code_hosts.github_line(diagnostic) + "\n" for diagnostic in found)
        case CheckFormat.gitlab:
            print_json(code_hosts.gitlab_report(found))
        case CheckFormat.junit:
            out(code_hosts.junit_report(found, [shown(path) for path in checked]) + "\n")


def _stages(paths: Iterable[Path]) -> list[StageOutput]:
    """The type and stage of everything in the tasks among documents; those with errors have none."""
    from planspec.api.outputs.claims import StageOutput
    from planspec.dsl.diagnostics.diagnostic import Report
    from planspec.dsl.documents.documents import check_document
    from planspec.dsl.documents.inferred import inferred_types
    from planspec.dsl.model.task import Task
    from planspec.dsl.workspace.workspace import Workspace

    workspace = Workspace()
    made: list[StageOutput] = []
    for path in paths:
        report = Report()
        opened = workspace.open(path, report)
        task = check_document(opened, workspace, report) if opened is not None else None
        if isinstance(task, Task):
            made += [
                StageOutput(
                    stage=line.stage.value, kind=line.kind, name=line.name, type=str(line.type), optional=line.optional,
                    file=line.span.source.name, line=line.span.line,
                )
                for line in inferred_types(task)
            ]  # fmt: skip
    return made
