"""`tasks`: lists tasks, shows a task, and shows a task as agents see it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planspec.commands.completion import complete_settings, complete_suites, complete_tasks
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    command_group,
    leave,
    parse_given,
    print_json,
    shorten_line,
)
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.text import align

if TYPE_CHECKING:
    from planspec.agents.tools import Tool
    from planspec.api.outputs.shown import TaskShownOutput
    from planspec.dsl.model.task import Task
    from planspec.environments import AgentTask

SettingName = Annotated[
    str | None,
    typer.Option(
        help="The setting in which agents solve the task; if left out, the task's default.",
        autocompletion=complete_settings,
    ),
]


class TaskFormat(StrEnum):
    """Output format of `tasks show`."""

    text = "text"
    json = "json"
    yaml = "yaml"


tasks = command_group("List or show tasks, also as agents see them, or call tools.")


@tasks.command("list")
def tasks_list(
    suites: Annotated[
        list[str] | None,
        typer.Argument(
            help="Folders, files or ids of suites; if left out, the shipped ones.",
            metavar="[SUITE...]",
            autocompletion=complete_suites,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """List tasks with their family, suite and title."""
    from planspec.api.catalog import Catalog
    from planspec.api.outputs.shown import TaskEntry

    catalog = Catalog()
    paths = [Path(place) if Path(place).exists() else catalog.suite_path(place) for place in suites or ()]
    entries = [TaskEntry(id=e.id, family=e.family, suite=e.suite, title=e.title) for e in catalog.tasks(paths)]
    if format is Format.json:
        print_json(list(entries))
        return
    lines = align([(entry.id or "?", entry.suite or "-", entry.title) for entry in entries], min_widths=(0, 20))
    sys.stdout.writelines(f"{line}\n" for line in lines)


@tasks.command("show")
def tasks_show(
    task: Annotated[str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=complete_tasks)],
    given: GivenValues = None,
    format: Annotated[TaskFormat, typer.Option(help="How to print; `yaml` is the task's document.")] = TaskFormat.text,
) -> None:
    """Show one task.

    Prints its file, query, givens, constraints, plan tables, and the size of its scope.
    """
    from planspec.api.catalog import Catalog
    from planspec.api.loading import load
    from planspec.dsl.documents.cases import rule_of
    from planspec.dsl.resources.paths import shown_path

    catalog = Catalog()
    loaded = load(task, workspace=catalog.workspace, given=parse_given(given))
    if format is TaskFormat.yaml:
        sys.stdout.write(_document_text(loaded))
        return
    output = _task_output(loaded, shown_path(catalog.named(task).path))
    if format is TaskFormat.json:
        print_json(output)
        return
    out = [f"{output.id}: {output.title}" if output.title else output.id, output.file, ""]
    several = len(output.queries) > 1
    out += [f"{number}. {query}" if several else query for number, query in enumerate(output.queries, 1)]
    out += [""] * bool(output.givens)
    out += [f"  {name} = {value}" for name, value in output.givens.items()]
    levels = Counter(rule.level for rule in output.constraints)
    out += ["", f"{levels['hard']} hard and {levels['soft']} soft constraints:"]
    printed: set[str] = set()
    for rule in output.constraints:
        text = "" if rule_of(rule.constraint) in printed else f"  {shorten_line(rule.rule)}"
        printed.add(rule_of(rule.constraint))
        out.append(f"  {rule.level}  {rule.constraint}{text}")
    out += ["", "plan:"] + [
        f"  {table.table}: {', '.join(f'{name} {type_}' for name, type_ in table.columns.items())}"
        for table in output.plan
    ]
    out += ["", "scope:"] + [
        f"  {table.table}: {table.scope_rows} row{'s' * (table.scope_rows != 1)}" for table in output.plan
    ]
    sys.stdout.write("\n".join(out) + "\n")


def _document_text(task: Task) -> str:
    """Return the text of a task's document.

    For a task in a table, a comment with the place of its record comes first.
    """
    text = task.document.text
    if task.record is None:
        return text
    place = f"{task.record.span.source.name}:{task.record.span.line}"
    return f"# record {task.record.number} of {place}\n{text}"


@tasks.command("view")
def tasks_view(
    task: Annotated[
        str,
        typer.Argument(
            help="A task's file or id; ID@2 is its second turn.",
            metavar="TASK",
            autocompletion=complete_tasks,
        ),
    ],
    setting: SettingName = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Show a task as an agent sees it.

    Prints the query, role, brief, texts and tools.
    """
    from planspec.agents import Limits
    from planspec.api.outputs.shown import ToolShownOutput, ViewOutput

    opened, turn = _open_turn(task, setting)
    view = opened.view(turn, [None] * turn, Limits(), seed=0)
    tools = [
        ToolShownOutput(name=tool.name, description=tool.description, parameters=dict(tool.parameters))
        for tool in view.tools
    ]
    output = ViewOutput(
        task=opened.judges[turn].task.id,
        setting=view.setting,
        calls=opened.calls,
        queries=[judge.task.query.strip() for judge in opened.judges[: turn + 1]],
        role=view.role,
        brief=view.brief,
        materials=dict(view.materials),
        images=list(view.images),
        tools=tools,
        answer=None if view.schema is None else dict(view.schema),
    )
    if format is Format.json:
        print_json(output)
        return
    out = [f"{output.task} in the setting `{output.setting}`", ""]
    several = len(output.queries) > 1
    out += [f"{number}. {query}" if several else query for number, query in enumerate(output.queries, 1)]
    for title, text in (("role", output.role), ("brief", output.brief), *output.materials.items()):
        out += ["", f"# {title}", "", text.strip()] if text.strip() else []
    out += (
        ["", f"{len(output.images)} picture{'s' * (len(output.images) != 1)}: {', '.join(output.images)}"]
        if output.images
        else []
    )
    most = "" if output.calls is None else f", {output.calls} calls at most"
    out += (
        ["", f"{len(tools)} tool{'s' * (len(tools) != 1)}{most}:", *(_tool_line(tool) for tool in view.tools)]
        if tools
        else ["", "no tools"]
    )
    sys.stdout.write("\n".join(out) + "\n")


@tasks.command("call")
def tasks_call(
    task: Annotated[str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=complete_tasks)],
    tool: Annotated[str, typer.Argument(help="One of the task's tools.", metavar="TOOL", show_default=False)],
    arguments: Annotated[str, typer.Argument(help="A JSON object.", metavar="[JSON]")] = "{}",
    setting: SettingName = None,
) -> None:
    """Call one of a task's tools as an agent would, and print the result.

    Exits 1 if the call is refused, with the error that an agent gets.
    """
    from planspec.agents.tools import is_error

    opened, turn = _open_turn(task, setting)
    tools = opened.at_turn(turn).tools
    names = [each.name for each in tools]
    if tool not in names:
        available = f"there is {', '.join(names)}" if names else "it has none"
        near = did_you_mean(tool, names)
        raise CommandLineError(
            f"`{opened.judge.task.id}` has no tool `{tool}` in the setting `{opened.setting}`: {near or available}"
        )
    try:
        parsed = json.loads(arguments)
    except ValueError as error:
        raise CommandLineError(f"the arguments are not JSON: {error}") from None
    result = tools.call(tool, parsed)
    print_json(result)
    leave(Exit.FAILS if is_error(result) else Exit.HOLDS)


def _open_turn(name: str, setting: str | None) -> tuple[AgentTask, int]:
    """Open a task in a setting, and find the turn that its name selects.

    Returns:
        The task, and the index of the turn, counted from 0. For `ID@2` it is 1; without a turn it is the last.
    """
    from planspec.api.catalog import Catalog
    from planspec.environments import open_task

    reference = Catalog().named(name)
    opened = open_task(reference.path, setting)
    return opened, len(opened.judges) - 1 if reference.turn is None else reference.turn - 1


def _tool_line(tool: Tool) -> str:
    """Return a line such as `get_way(origin, to, mode?): what it does`."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    params = ", ".join(f"{name}{'' if name in required else '?'}" for name in properties)
    description = " ".join(tool.description.split())
    return f"  {tool.name}({params})" + (f": {shorten_line(description)}" if description else "")


def _task_output(task: Task, file: str) -> TaskShownOutput:
    from planspec.api.outputs.shown import RecordOutput, RuleOutput, TableShownOutput, TaskShownOutput
    from planspec.dsl.model.value_text import show
    from planspec.dsl.resources.paths import shown_path
    from planspec.verifiers.meaning.ground import ground
    from planspec.verifiers.meaning.prebuilt_findings import finding_without_details

    grounded, record = ground(task), task.record
    rules = []
    for instance in grounded.instances:
        if instance.applicable:
            finding = finding_without_details(instance, True)
            assert finding.source is not None and finding.level != "shape"
            rules.append(
                RuleOutput(
                    constraint=instance.id,
                    level=finding.level,
                    kind=finding.kind,
                    file=finding.source.file,
                    line=finding.source.line,
                    rule=" ".join(instance.constraint.span.text.split()),
                )
            )
    return TaskShownOutput(
        id=task.id,
        family=task.family,
        suite=None,
        title=task.title,
        file=file,
        origin=None
        if record is None
        else RecordOutput(
            file=record.span.source.name, line=record.span.line, record=record.number, path=shown_path(record.path)
        ),
        queries=[query.strip() for query in task.conversation],
        givens={
            name: show(task.givens[name], given.type, task.currency) for name, given in task.given_declarations.items()
        },
        constraints=rules,
        plan=[
            TableShownOutput(
                table=table.name,
                columns={c.name: str(c.type) for c in table.columns.values()},
                scope_rows=len(grounded.rows.get(table.name, ())),
            )
            for table in task.plan_tables
        ],
    )
