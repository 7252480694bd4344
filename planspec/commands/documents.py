"""`check`, `fmt`, `explain`, `schema`, `tasks`: work on documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    command_group,
    leave,
    note,
    one_line,
    print_json,
    show_diagnostics,
)
from planspec.commands.terminal import colored
from planspec.commands.waiting import waiting
from planspec.dsl.codes import CODES
from planspec.dsl.diagnostics import Diagnostic, Severity
from planspec.dsl.names import did_you_mean
from planspec.files import replace_text

if TYPE_CHECKING:
    from planspec.verifiers.ground import Ground


class CheckFormat(StrEnum):
    """How `check` prints."""

    text = "text"
    line = "line"
    json = "json"
    sarif = "sarif"


def check(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    format: Annotated[CheckFormat, typer.Option(help="How to print.")] = CheckFormat.text,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are errors.")] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also ask a solver which rules do nothing or cannot hold.")
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(help="Time limit of each task with --deep, in seconds.", metavar="SECONDS", min=0.001),
    ] = 60.0,
    stages: Annotated[
        bool, typer.Option("--stages", help="Also print the type and stage of everything.")
    ] = False,
) -> None:
    """Find every mistake in documents.

    Each is printed with its lines and a caret under it. Tasks may be named by id.
    """
    from importlib.metadata import version

    from planspec.api import check as check_all
    from planspec.dsl import rendering
    from planspec.dsl.sarif import render_sarif

    paths = [found for path in paths for found in ([path] if path.exists() else _by_id(path))]
    undecided: list[str] = []
    found = check_all(paths, deep=partial(_lint, timeout, undecided) if deep else None)
    match format:
        case CheckFormat.text:
            sys.stdout.write(rendering.render_text(found, color=colored(sys.stdout)))
        case CheckFormat.line:
            sys.stdout.writelines(rendering.render_line(diagnostic) + "\n" for diagnostic in found)
        case CheckFormat.json:
            print_json(rendering.render_json(found))
        case CheckFormat.sarif:
            print_json(render_sarif(found, version=version("planspec")))
    if stages:
        _print_stages(paths)
    note(rendering.summary(found) or "no mistakes found")
    for task in undecided:
        note(f"{task}: not everything was decided in time")
    bad = any(d.severity is Severity.ERROR for d in found) or (strict and found)
    leave(Exit.WRONG_INPUT if bad else Exit.UNDECIDED if undecided else Exit.HOLDS)


def _by_id(name: Path) -> list[Path]:
    """The tasks that an id means.

    Raises:
        CallError: it means nothing, and is no path either.
    """
    from planspec.catalog import Catalog, NotFound

    try:
        return [task.path for task in Catalog().expand(str(name))]
    except NotFound as error:
        raise CallError(f"there is no file or folder `{name}`, and {error}") from None


def _lint(timeout: float, undecided: list[str], known: Ground) -> Iterable[Diagnostic]:
    from planspec.solvers.outcome import Limits
    from planspec.solvers.sense import sense

    with waiting(f"{known.task.id}: asking what each rule does"):
        found = sense(known, limits=Limits(seconds=timeout))
    if not found.finished:
        undecided.append(known.task.id)
    return found.diagnostics


def _print_stages(paths: list[Path]) -> None:
    from planspec.catalog import documents_in
    from planspec.dsl.diagnostics import Report
    from planspec.dsl.documents import check_document
    from planspec.dsl.stages import stages
    from planspec.dsl.task import Task
    from planspec.dsl.workspace import Workspace

    workspace = Workspace()
    for path in documents_in(paths):
        report = Report()
        opened = workspace.open(path, report)
        made = check_document(opened, workspace, report) if opened is not None else None
        if isinstance(made, Task):
            for line in stages(made):
                where = f"{line.span.source.name}:{line.span.line}"
                none = "?" if line.optional else ""
                sys.stdout.write(
                    f"{line.stage.value:<8} {line.kind:<11} {line.name:<24} {line.type}{none:<2} {where}\n"
                )


def fmt(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    check_only: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 if a file would change.")
    ] = False,
) -> None:
    """Canonical formatting; comments stay."""
    from planspec.catalog import documents_in
    from planspec.dsl.diagnostics import DiagnosticError, Report
    from planspec.dsl.formatting import format_text
    from planspec.dsl.workspace import shown
    from planspec.dsl.yaml_source import read_source

    for path in paths:
        if not path.exists():
            raise CallError(f"there is no file or folder `{path}`")
    changed = wrong = 0
    for path in documents_in(paths):
        report = Report()
        source = read_source(path, shown(path), report=report)
        try:
            text = format_text(source.text, shown(path)) if source is not None else None
        except DiagnosticError as error:
            for diagnostic in error.diagnostics:
                report.add(diagnostic)
            text = None
        if text is None or source is None:
            show_diagnostics(report.ordered())
            wrong += 1
        elif text != path.read_text("utf-8"):
            changed += 1
            if not check_only:
                replace_text(path, text)
            note(f"{'would change' if check_only else 'formatted'} {shown(path)}")
    leave(Exit.WRONG_INPUT if wrong else Exit.FAILS if changed and check_only else Exit.HOLDS)


def explain(
    code: Annotated[str, typer.Argument(help="A diagnostic code, such as PS301.", metavar="CODE")],
) -> None:
    """A diagnostic code: what it means, why, wrong and right."""
    found = CODES.get(code.upper()) or next((c for c in CODES.values() if c.slug == code.lower()), None)
    if found is None:
        close = did_you_mean(code.upper(), CODES)
        raise CallError(f"there is no diagnostic `{code}`" + (f"; {close}" if close else ""))
    blocks = [f"{found.code}: {found.slug}", found.why]
    for name, text in (("Wrong:", found.wrong), ("Right:", found.right)):
        if text:
            blocks.append(name + "\n\n" + "\n".join(f"    {line}" for line in text.splitlines()))
    sys.stdout.write("\n\n".join(blocks) + "\n")


RECORDS = {
    "trace": "planspec.verifiers.traces.record:Trace",
    "run": "planspec.runs.record:Run",
    "attempt": "planspec.runs.record:Attempt",
    "episode": "planspec.mobilitybench.episode:Episode",
    "output/report": "planspec.report.output:ReportOutput",
    "output/score-traces": "planspec.scorers:TraceScores",
}
"""Files besides documents by the models of their lines, and outputs of what stands higher than their list."""


def schema(
    kind: Annotated[
        str, typer.Argument(help="library, world, task, suite, or output/COMMAND.", metavar="[KIND]")
    ] = "task",
) -> None:
    """Print the JSON Schema of a document or an output.

    Those of documents are for YAML editors.
    """
    from planspec.dsl.schema import document_schema
    from planspec.dsl.workspace import KINDS

    if kind in KINDS:
        made = document_schema(kind)
    else:
        from pydantic import TypeAdapter

        from planspec.outputs import OUTPUTS

        name = kind.removeprefix("output/")
        if kind in RECORDS:
            module, _, attribute = RECORDS[kind].partition(":")
            model = getattr(import_module(module), attribute)
        elif name in OUTPUTS and name != kind:
            model = OUTPUTS[name]
        else:
            options = [*KINDS, *RECORDS, *(f"output/{n}" for n in OUTPUTS)]
            raise CallError(f"there is no schema `{kind}`; there are {', '.join(options)}")
        made = TypeAdapter(model).json_schema()
    sys.stdout.write(json.dumps(made, indent=2) + "\n")


tasks = command_group("List the tasks that ship with planspec, or those of a folder, or show one.")


@tasks.command("list")
def tasks_list(
    places: Annotated[
        list[str] | None,
        typer.Argument(help="Folders, files or ids of suites; what ships if left out.", metavar="[SUITE...]"),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """The tasks, with family, suite and title."""
    from planspec.catalog import Catalog
    from planspec.outputs import TaskEntry

    catalog = Catalog()
    paths = [Path(place) if Path(place).exists() else catalog.suite_path(place) for place in places or ()]
    found = [TaskEntry(id=e.id, family=e.family, suite=e.suite, title=e.title) for e in catalog.tasks(paths)]
    if format is Format.json:
        print_json(list(found))
        return
    width = max((len(e.id) for e in found), default=0)
    for entry in found:
        sys.stdout.write(
            f"{entry.id or '?':<{width}}  {entry.suite or '-':<20}  {entry.title}".rstrip() + "\n"
        )


@tasks.command("show")
def tasks_show(task: Annotated[str, typer.Argument(help="A task's file or id.", metavar="TASK")]) -> None:
    """One task: its query, givens, constraints, the plan's tables, and how many rows its scope has."""
    from planspec.api import load
    from planspec.dsl.show import show
    from planspec.verifiers.ground import ground

    made = load(task)
    known = ground(made)
    out = [f"{made.id}: {made.title}" if made.title else made.id, ""]
    out += [
        f"{number}. {query.strip()}" if made.turns else query.strip()
        for number, query in enumerate(made.conversation, 1)
    ]
    givens = made.given_declarations.items()
    out += [""] * bool(givens)
    out += [f"  {name} = {show(made.givens[name], given.type, made.currency)}" for name, given in givens]
    live = [i for i in known.instances if i.applicable]
    out += [
        "",
        f"{sum(i.constraint.hard for i in live)} hard and {sum(not i.constraint.hard for i in live)} soft constraints:",
    ]
    said: set[str] = set()
    for instance in live:
        text = "" if instance.constraint.id in said else f"  {one_line(instance.constraint.span)}"
        said.add(instance.constraint.id)
        out.append(f"  {'hard' if instance.constraint.hard else 'soft'}  {instance.id}{text}")
    out += ["", "plan:"] + [
        f"  {table.name}: {', '.join(f'{c.name} {c.type}' for c in table.columns.values())}"
        for table in made.plan_tables
    ]
    out += ["", "scope:"] + [
        f"  {name}: {len(rows)} row{'s' * (len(rows) != 1)}" for name, rows in known.rows.items()
    ]
    sys.stdout.write("\n".join(out) + "\n")
