"""`explain`, `schema`, `tasks`: what there is to know, and what there is."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import codes, schema_kinds, suites_named, tasks_named
from planspec.commands.console import CallError, Format, command_group, cut, print_json
from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.text_table import align

if TYPE_CHECKING:
    from planspec.api.outputs import TaskShownOutput
    from planspec.dsl.model.task import Task


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A diagnostic's code or name, such as PS301; if left out, all are listed.",
            metavar="[CODE]",
            autocompletion=codes,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Explain a diagnostic, with an example and its fix."""
    from planspec.api.outputs import CodeOutput

    if code is None:
        if format is Format.json:
            print_json([CodeOutput.of(each) for each in CODES.values()])
        else:
            sys.stdout.writelines(f"{each.code}  {each.slug}\n" for each in CODES.values())
        return
    found = CODES.get(code.upper()) or next((c for c in CODES.values() if c.slug == code.lower()), None)
    if found is None:
        close = did_you_mean(code.upper(), CODES) or did_you_mean(code, [c.slug for c in CODES.values()])
        raise CallError(f"there is no diagnostic `{code}`; {close or '`planspec explain` lists all of them'}")
    if format is Format.json:
        print_json(CodeOutput.of(found))
        return
    blocks = [f"{found.code}: {found.slug}", found.why]
    for name, text in (("Wrong:", found.wrong), ("Right:", found.right)):
        if text:
            blocks.append(name + "\n\n" + "\n".join(f"    {line}" for line in text.splitlines()))
    sys.stdout.write("\n\n".join(blocks) + "\n")


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            help="library, world, task, suite, a record such as trace, or output/COMMAND.", metavar="[KIND]",
            autocompletion=schema_kinds,
        ),
    ] = "task",
    list_: Annotated[bool, typer.Option("--list", help="List the kinds.")] = False,
) -> None:  # fmt: skip
    """Print the JSON Schema of a document, a record or an output.

    YAML editors use the schemas of documents.
    """
    from planspec.dsl.editing.schema import document_schema
    from planspec.dsl.workspace.document_keys import KINDS

    if list_:
        sys.stdout.writelines(f"{name}\n" for name in schema_kinds(""))
        return
    if kind in KINDS:
        made = document_schema(kind)
    else:
        from pydantic import TypeAdapter

        from planspec.api.outputs import OUTPUTS, records
        from planspec.api.verdicts import with_checks

        name = kind.removeprefix("output/")
        recorded = records()
        if kind in recorded:
            model = recorded[kind].load()
        elif name in OUTPUTS and name != kind:
            model = OUTPUTS[name]
        else:
            close = did_you_mean(kind, schema_kinds(""))
            raise CallError(
                f"there is no schema `{kind}`; {close or '`planspec schema --list` lists the kinds'}"
            )
        made = with_checks(TypeAdapter(model).json_schema())
    sys.stdout.write(json.dumps(made, indent=2) + "\n")


tasks = command_group("List the tasks that ship, or those of a folder, or show one.")


@tasks.command("list")
def tasks_list(
    places: Annotated[
        list[str] | None,
        typer.Argument(
            help="Folders, files or ids of suites; if left out, the shipped ones.",
            metavar="[SUITE...]",
            autocompletion=suites_named,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """List tasks with their family, suite and title."""
    from planspec.api.catalog import Catalog
    from planspec.api.outputs import TaskEntry

    catalog = Catalog()
    paths = [Path(place) if Path(place).exists() else catalog.suite_path(place) for place in places or ()]
    found = [TaskEntry(id=e.id, family=e.family, suite=e.suite, title=e.title) for e in catalog.tasks(paths)]
    if format is Format.json:
        print_json(list(found))
        return
    lines = align([(entry.id or "?", entry.suite or "-", entry.title) for entry in found], least=(0, 20))
    sys.stdout.writelines(f"{line}\n" for line in lines)


@tasks.command("show")
def tasks_show(
    task: Annotated[
        str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=tasks_named)
    ],
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Show one task: its file, query, givens, constraints, the plan's tables, and the rows of its scope."""
    from planspec.api.catalog import Catalog
    from planspec.api.loading import load
    from planspec.dsl.documents.cases import rule_of
    from planspec.dsl.workspace.workspace import shown

    catalog = Catalog()
    made = _shown(load(task, workspace=catalog.workspace), shown(catalog.named(task).path))
    if format is Format.json:
        print_json(made)
        return
    out = [f"{made.id}: {made.title}" if made.title else made.id, made.file, ""]
    several = len(made.queries) > 1
    out += [f"{number}. {query}" if several else query for number, query in enumerate(made.queries, 1)]
    out += [""] * bool(made.givens)
    out += [f"  {name} = {value}" for name, value in made.givens.items()]
    levels = Counter(rule.level for rule in made.constraints)
    out += ["", f"{levels['hard']} hard and {levels['soft']} soft constraints:"]
    told: set[str] = set()
    for rule in made.constraints:
        text = "" if rule_of(rule.constraint) in told else f"  {cut(rule.rule)}"
        told.add(rule_of(rule.constraint))
        out.append(f"  {rule.level}  {rule.constraint}{text}")
    out += ["", "plan:"] + [
        f"  {table.table}: {', '.join(f'{name} {type_}' for name, type_ in table.columns.items())}"
        for table in made.plan
    ]
    out += ["", "scope:"] + [
        f"  {table.table}: {table.scope_rows} row{'s' * (table.scope_rows != 1)}" for table in made.plan
    ]
    sys.stdout.write("\n".join(out) + "\n")


def _shown(task: Task, file: str) -> TaskShownOutput:
    from planspec.api.outputs import RuleOutput, TableShownOutput, TaskShownOutput
    from planspec.dsl.model.value_text import show
    from planspec.verifiers.meaning.explain import summary
    from planspec.verifiers.meaning.ground import ground

    known = ground(task)
    rules = []
    for instance in known.instances:
        if instance.applicable:
            finding = summary(instance, True)
            assert finding.source is not None and finding.level != "shape"
            rules.append(
                RuleOutput(
                    constraint=instance.id, level=finding.level, kind=finding.kind, file=finding.source.file,
                    line=finding.source.line, rule=" ".join(instance.constraint.span.text.split()),
                )
            )  # fmt: skip
    return TaskShownOutput(
        id=task.id, family=task.family, suite=None, title=task.title, file=file,
        queries=[query.strip() for query in task.conversation],
        givens={
            name: show(task.givens[name], given.type, task.currency)
            for name, given in task.given_declarations.items()
        },
        constraints=rules,
        plan=[
            TableShownOutput(
                table=table.name, columns={c.name: str(c.type) for c in table.columns.values()},
                scope_rows=len(known.rows.get(table.name, ())),
            )
            for table in task.plan_tables
        ],
    )  # fmt: skip
