"""Settings declared in tasks by texts (`shows`) and tools. Answers are the plan's tables as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.agents.tools import Toolset
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, EnumType, ListType, RowType, ScalarType, SetType, Table, Type
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping
from planspec.environments.turns import TurnView
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.environment.schemas import plan_schema, with_refusal
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.meaning.static_text import static_text

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.environments.agent_task import AgentTask

WRITTEN: MappingOf[ScalarType, str] = {
    ScalarType.BOOL: "true or false",
    ScalarType.INT: "a whole number",
    ScalarType.DECIMAL: "a number",
    ScalarType.TEXT: "a text",
    ScalarType.DATE: 'a day, "2026-02-28"',
    ScalarType.TIME: 'a time, "14:30"',
    ScalarType.MOMENT: 'a day and time, "2026-02-28 14:30"',
    ScalarType.DURATION: 'a duration, "1h30min"',
    ScalarType.MONEY: "an amount, {money}",
    ScalarType.DISTANCE: 'a distance, "3.2km" or "850m"',
}
"""Description of each scalar type's form in JSON."""
CONVERSATION = """\
# A conversation

The request may go on in later messages. What was said before still holds unless a later message changes it. Answer each message with
a whole plan, and change no more of the plan before than the message makes necessary."""
"""Instructions added for tasks with several turns."""


def declared_settings(task: Task) -> tuple[str, ...]:
    """Return the names of the settings that a task declares for agents, the default first."""
    environment = task.environment
    if environment.settings or environment.shows or environment.tools:
        return tuple(TaskViews(task).settings())
    return ()


def settings_in_reach(folder: Path) -> Iterator[str]:
    """Yield the names of the settings in all libraries that documents in a folder can import by id."""
    workspace = Workspace()
    for name in workspace.ids("library", folder):
        for path in workspace.find("library", name, folder):
            document = workspace.open(path, Report())
            section = None if document is None else document.sections.get("environment")
            for key, settings in section.entries if isinstance(section, Mapping) else ():
                if key.text == "settings" and isinstance(settings, Mapping):
                    yield from (setting.text for setting, _ in settings.entries)


def open_declared(name: str, judges: tuple[Judge, ...], folder: Path | None, setting: str) -> AgentTask:
    """Open a task in one of the settings that it declares.

    Args:
        name: path or id by which the task was loaded.
        judges: judges of its turns.
        folder: folder of the suite.
        setting: name of the setting.
    """
    from planspec.environments.agent_task import AgentTask

    views = [TaskViews(judge.task) for judge in judges]
    declared = views[-1].settings()[setting]
    turns = tuple(TurnView(view.shows(declared), Toolset(view.tools(declared))) for view in views)
    judge = judges[-1]
    for each in judges:
        each.refusals = each.task.environment.refusals_in(setting)
    tables = judge.format is TABLES
    brief = [
        declared.brief,
        brief_of_tables(judge.task) if tables else "",
        brief_of_refusals(judge),
        CONVERSATION if len(judges) > 1 else "",
    ]
    return AgentTask(
        name,
        judges,
        setting,
        brief="\n\n".join(part for part in brief if part),
        schema=with_refusal(plan_schema(judge.task), judge.refusals) if tables else None,
        turns=turns,
        calls=declared.calls,
        declared=declared,
        folder=folder,
        role=declared.role,
    )


REFUSALS = """\
If nothing can be planned that does all that is asked, answer {"infeasible": true}; it is checked."""
CONFLICTS = """\
If nothing can be planned that does all that is asked, answer {"infeasible": ["...", "..."]} with the ids of requirements that cannot be
met together; it is checked. The requirements:"""


def brief_of_refusals(judge: Judge) -> str:
    """Return instructions for the answer that there is no plan; an empty string if agents may not give it.

    The instructions do not reveal whether the task has a plan.
    """
    if judge.refusals == "none":
        return ""
    if judge.refusals == "allowed":
        return REFUSALS
    lines = []
    for instance in judge.ground.instances:
        rule = instance.constraint
        if instance.applicable and rule.hard and not rule.background:
            words = None if rule.says is None else static_text(judge.ground, rule.says, instance.env)
            lines.append(f"- `{instance.id}`" + (f": {words}" if words else ""))
    return "\n".join([CONFLICTS, "", *lines])


def brief_of_tables(task: Task) -> str:
    """Return instructions for answers that give the plan's tables as JSON."""
    lines = ["Answer with one JSON object that has", ""]
    for table in task.plan_tables:
        form = "an object with" if table.one else "a list of objects, each with"
        lines.append(f"- `{table.name}`: {form}")
        lines += [f"  - `{name}`: {_column_form(column, task)}" for name, column in table.columns.items()]
    return "\n".join(lines)


def _column_form(column: Column, task: Task) -> str:
    written = _json_form(column.type, task)
    if column.optional:
        return f"{written}; null for none"
    return f"{written}; may be left out" if column.has_default else written


def _json_form(type_: Type, task: Task) -> str:
    match type_:
        case SetType(item) | ListType(item):
            return f"a list, each item {_json_form(item, task)}"
        case EnumType(members=members):
            return f"one of {', '.join(members)}"
        case RowType(table):
            return _reference_form(task.tables[table])
        case ScalarType():
            return WRITTEN[type_].format(money=f'"12.50 {task.currency}"' if task.currency else '"12.50"')
        case _:
            return str(type_)


def _reference_form(table: Table) -> str:
    """Describe how answers refer to a row of a table."""
    if not table.key:
        return f"the place of a row of {table.name}, from 0"
    if len(table.key) == 1:
        named = ", not its name" if "name" in table.columns and table.key[0] != "name" else ""
        return f"the {table.key[0]} of a row of {table.name}{named}"
    return f"the key of a row of {table.name}, as a list: {', '.join(table.key)}"
