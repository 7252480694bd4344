"""Long-running work on tasks: what solvers prove, and edits that follow from it.

The language server runs it in a worker process and the playground in a web worker; both pass current texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.api.judging import Judge
from planspec.api.tightening import TightenableTask
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, Table
from planspec.dsl.model.value_text import json_value, row_key
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping as YamlMapping
from planspec.dsl.yaml.reader import Node, Scalar, compose
from planspec.dsl.yaml.source_files import source_from_text
from planspec.errors import PlanspecError
from planspec.extras import require
from planspec.live.language.shapes import Json
from planspec.verifiers.answers.format import TABLES, plain_json
from planspec.verifiers.meaning.ground import FieldDomain, Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import places_of

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits

SECONDS = 20.0
"""Time limit of proofs while the author keeps typing, in seconds."""
MUTANTS = 600
"""Largest number of changed answers that are judged to find a case."""
VALUES = 6
"""Largest number of values of a cell that are tried for a case."""

PLAIN = re.compile(r"\w(?:[\w .@-]|:(?=\w))*(?<! )")
"""Texts that YAML and the language read alike without quotes."""

Work: TypeAlias = Callable[[Path, Workspace, Json], Json]
"""Function that works on a task's file, read from a workspace, with further parameters."""


class PanelWorkError(PlanspecError):
    """The work cannot be done on this task; the message gives the author the reason."""

    exit_code = 1


def work(name: str, path: Path, workspace: Workspace, params: Json) -> Json:
    """Return the result of a piece of work.

    Args:
        name: its name in `WORK`.
        path: file of the task.
        workspace: reads the current texts of the task and of its imports.
        params: further parameters.

    Returns:
        The result; if the work cannot be done, the reason under `error`.
    """
    try:
        return WORK[name](path, workspace, params)
    except PlanspecError as error:
        return {"error": str(error)}
    except ModuleNotFoundError as error:
        return {"error": error.msg}


def claims(path: Path, workspace: Workspace, params: Json) -> Json:
    """Prove whether a task has a plan and only one, and judge its reference."""
    task = task_from_path(path, workspace)
    judge = Judge(task)
    verdict = judge.reference_verdict()
    output: Json = {"reference": None if verdict is None else verdict.status}
    if verdict is not None:
        output["violated"] = [
            x.constraint for x in verdict.findings if x.status == "violated" and x.level in ("hard", "shape")
        ]
    if not task.scope:
        return output
    require("ortools", "solve", "proofs need an extra")
    from planspec.solvers.questions.claims import validate_claims

    validation = validate_claims(judge.ground, backends=("cpsat",), limits=_limits(params))
    proved = [
        validation.unique.backends.values(),
        () if validation.best is None else validation.best.unique.backends.values(),
    ]
    output |= {
        "feasible": validation.feasible.status,
        "unique": validation.unique.status,
        "best": None if validation.best is None else validation.best.unique.status,
        "seconds": round(sum(claim.seconds for claims_ in proved for claim in claims_), 3),
    }
    return output


def tighten(path: Path, workspace: Workspace, params: Json) -> Json:
    """Leave out the fewest rows that make the reference the only plan, and return the task's new text."""
    require("ortools", "solve", "tightening needs an extra")
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.validation import validate

    task = task_from_path(path, workspace)
    if not isinstance(task.reference, Mapping):
        raise PanelWorkError("there is no `reference` that could be made the only plan")
    file = TightenableTask(path, task.reference, workspace)
    result = file.tighten(file.removable(), limits=_limits(params))
    if result.status not in (Status.OPTIMAL, Status.FEASIBLE):
        words = {Status.INFEASIBLE: "whichever rows are removed, another plan remains or the reference fails"}
        raise PanelWorkError(words.get(result.status, "time ran out"))
    if not result.removed:
        return {"text": None, "said": "the reference is the only plan already"}
    text = file.text(result.removed)
    trial = Workspace(workspace.shipped)
    trial.hold(path, text)
    again = validate(ground(task_from_path(path, trial)), backends=("cpsat",), limits=_limits(params))
    count = len(result.removed)
    proved = ", proved fewest" if result.smallest else ""
    message = (
        f"{count} row{'' if count == 1 else 's'} left out{proved}; the reference is now {again.unique.status}"
    )
    return {"text": text, "said": message}


def repair(path: Path, workspace: Workspace, params: Json) -> Json:
    """Repair the reference with the smallest change.

    The result holds the new text of the document, or of the reference's JSON file.
    """
    require("ortools", "solve", "repairs need an extra")
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.repair import repair as nearest

    task = task_from_path(path, workspace)
    judge = Judge(task)
    verdict = judge.reference_verdict()
    if verdict is None or not isinstance(task.reference, Mapping | list):
        raise PanelWorkError("there is no `reference` to repair")
    if verdict.status == "pass":
        return {"said": "the reference passes already"}
    answer = judge.read(task.reference)
    if answer is None:
        raise PanelWorkError("the reference cannot be read as a plan")
    result = nearest(judge.ground, answer, limits=_limits(params))
    if result.plan is None:
        words = {Status.INFEASIBLE: "no plan satisfies every hard constraint"}
        raise PanelWorkError(words.get(result.status, "time ran out"))
    answer_ = _as_before(plain_json(judge.encode(result.plan)), task.reference, task.plan_tables)
    count = len(result.edits)
    proved = ", proved smallest" if result.status is Status.OPTIMAL else ""
    message = f"{count} cell{'' if count == 1 else 's'} changed{proved}"
    node = _section(task, "reference")
    if isinstance(node, Scalar) and node.text.endswith(".json"):
        file = (path.parent / node.text).resolve()
        return {
            "file": str(file),
            "text": json.dumps(answer_, indent=1, ensure_ascii=False) + "\n",
            "said": message,
        }
    return {"text": with_section(task.span.source.text, "reference", yaml_text(answer_, 2)), "said": message}


def _as_before(answer: Any, before: Any, tables: Sequence[Table]) -> Any:
    """Return an answer with its rows in the author's order; new rows come last."""
    if not isinstance(answer, dict) or not isinstance(before, Mapping):
        return answer
    for table in tables:
        rows, written = answer.get(table.name), before.get(table.name)
        if isinstance(rows, list) and isinstance(written, list):
            places = {_key_of(row, table): place for place, row in enumerate(written)}
            answer[table.name] = sorted(rows, key=lambda row: places.get(_key_of(row, table), len(places)))
    return answer


def _key_of(row: Any, table: Table) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in table.key) if isinstance(row, Mapping) else ()


def case(path: Path, workspace: Workspace, params: Json) -> Json:
    """Add a case that violates one constraint alone: the reference with one cell changed."""
    task = task_from_path(path, workspace)
    judge = Judge(task)
    plan = judge.reference_plan()
    if plan is None:
        raise PanelWorkError("a case changes the `reference`, and there is none that passes")
    requested = str(params.get("constraint") or "")
    applicable = [x.id for x in judge.ground.instances if x.applicable and x.constraint.hard]
    names = [x for x in applicable if x == requested or x.partition("[")[0] == requested]
    if not names:
        raise PanelWorkError(f"`{requested}` is not a hard constraint that applies to this task")
    cell = _violating(judge, plan, frozenset(names))
    if cell is None:
        raise PanelWorkError(f"no change of one cell of the reference violates `{requested}` alone")
    text = task.span.source.text
    name = _free_name(task, requested)
    entry = [
        f"  {name}:",
        "    from: reference",
        f"    change: {{{cell.table.name}: {cell.change(task)}}}",
        f"    violates: [{', '.join(map(cell_text, cell.violated))}]",
    ]
    return {
        "text": with_entry_in(text, "cases", entry),
        "said": f"case `{name}` violates {', '.join(cell.violated)}",
    }


WORK: Mapping[str, Work] = {"claims": claims, "tighten": tighten, "repair": repair, "case": case}
"""Pieces of work by name."""


def _limits(params: Json) -> Limits:
    from planspec.solvers.backends.outcome import Limits

    return Limits(seconds=float(params.get("seconds") or SECONDS))


# -- cases ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """A cell of a plan with another value, and the hard instances that the changed plan violates."""

    table: Table
    key: str
    column: Column
    value: Any
    violated: tuple[str, ...]

    def change(self, task: Task) -> str:
        """Return the change in the syntax of cases."""
        cell = f"{{{self.column.name}: {cell_text(json_value(self.value, self.column.type, task.currency))}}}"
        return cell if self.table.one else f"{{{cell_text(self.key)}: {cell}}}"


def _violating(judge: Judge, plan: Plan, names: frozenset[str]) -> ChangedCell | None:
    """Return a changed cell that violates as few as possible of the named instances, and nothing else."""
    best: ChangedCell | None = None
    for _, (changed, data) in zip(range(MUTANTS), _mutants(judge, plan), strict=False):
        changed_plan, wrong = TABLES.decode(judge.task, data)
        if wrong:
            continue
        verdict = judge.plan(changed_plan)
        violated = tuple(
            x.constraint for x in verdict.findings if x.status == "violated" and x.level in ("hard", "shape")
        )
        if violated and names.issuperset(violated) and (best is None or len(violated) < len(best.violated)):
            best = replace(changed, violated=violated)
            if len(violated) == 1:
                return best
    return best


def _mutants(judge: Judge, plan: Plan) -> Iterator[tuple[ChangedCell, Any]]:
    """Yield the plan's tables with one cell changed, together with that cell."""
    task = judge.task
    written = TABLES.encode(task, plan)
    for table in task.plan_tables:
        rows = plan.tables[table.name]
        for number, (row, place) in enumerate(zip(rows, _places(judge.ground, table, rows), strict=True)):
            for column in table.columns.values():
                if column.key or place is None:
                    continue
                now = getattr(row, column.name)
                for value in _others(place[column.name], now):
                    cell = json_value(value, column.type, task.currency)
                    cells = written[table.name]
                    data = (
                        {**cells, column.name: cell}
                        if table.one
                        else [{**x, column.name: cell} if at == number else x for at, x in enumerate(cells)]
                    )
                    changed = ChangedCell(table, row_key(row, task.currency), column, value, ())
                    yield changed, {**written, table.name: data}


def _places(ground_: Ground, table: Table, rows: Sequence[Any]) -> list[Mapping[str, FieldDomain] | None]:
    return [None if place is None else place.fields for place in places_of(ground_, table.name, rows)]


def _others(domain: FieldDomain, now: Any) -> list[Any]:
    """Return other values of a cell.

    These are near and far values of its domain; for a number without a choice, neighbouring values.
    """
    if domain.interval is not None:
        low, high, step = domain.interval
        near = (
            [now - step, now + step, now - 4 * step, now + 4 * step, low, high]
            if now is not None
            else [low, high]
        )
        values = [value for value in near if low <= value <= high]
    elif domain.values is not None and len(domain.values) > 1:
        values = [*domain.values[:VALUES], domain.values[-1]]
    elif isinstance(now, int) and not isinstance(now, bool):
        values = [now + 1, now - 1, now * 2]
    else:
        values = []
    if domain.or_none:
        values.append(None)
    return [
        value
        for value in dict.fromkeys(values)
        if value != now and not (isinstance(value, int) and value < 0)
    ]


def _free_name(task: Task, constraint: str) -> str:
    section = _section(task, "cases")
    taken = {key.text for key, _ in section.entries} if isinstance(section, YamlMapping) else set()
    stem = f"breaks-{constraint.partition('[')[0].replace('_', '-')}"
    return next(
        name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken
    )


# -- texts ------------------------------------------------------------------------------------------------


def _section(task: Task, name: str) -> Node | None:
    root = compose(task.span.source, Report())
    if not isinstance(root, YamlMapping):
        return None
    return next((node for key, node in root.entries if key.text == name), None)


def with_section(text: str, name: str, lines: Sequence[str]) -> str:
    """Return the document's text with these lines as a section, replacing the existing one."""
    root = _root(text)
    for key, node in root.entries:
        if key.text == name:
            return f"{text[: key.span.end]}:\n" + "\n".join(lines) + text[node.span.end :]
    return text.rstrip("\n") + f"\n{name}:\n" + "\n".join(lines) + "\n"


def with_entry_in(text: str, name: str, lines: Sequence[str]) -> str:
    """Return the document's text with a further entry, indented by two spaces, at the end of a section.

    Raises:
        PanelWorkError: the section is in flow style, or has another indentation.
    """
    root = _root(text)
    for key, node in root.entries:
        if key.text == name and isinstance(node, YamlMapping) and node.entries:
            depth = node.entries[0][0].span.column - 1
            if node.flow or not depth:
                raise PanelWorkError(f"`{name}:` stands in braces; write one entry on each line")
            moved = (
                [" " * (depth - 2) + line for line in lines]
                if depth >= 2
                else [line[2 - depth :] for line in lines]
            )
            end = text.find("\n", node.span.end)
            end = len(text) if end == -1 else end
            return text[:end] + "\n" + "\n".join(moved) + text[end:]
        if key.text == name:
            return (
                f"{text[: key.span.end]}:\n" + "\n".join(lines) + text[max(node.span.end, key.span.end + 1) :]
            )
    return text.rstrip("\n") + f"\n{name}:\n" + "\n".join(lines) + "\n"


def _root(text: str) -> YamlMapping:
    root = compose(source_from_text(text, ""), Report())
    assert isinstance(root, YamlMapping), "a task that was checked is a mapping"
    return root


def yaml_text(value: Any, depth: int) -> list[str]:
    """Return a JSON object as lines of YAML, with one line for each key and for each object in a list."""
    pad = " " * depth
    lines: list[str] = []
    for key, item in value.items() if isinstance(value, Mapping) else ():
        if isinstance(item, list) and item and all(isinstance(x, Mapping) for x in item):
            lines.append(f"{pad}{cell_text(key)}:")
            lines += (f"{pad}  - {_flow(x)}" for x in item)
        else:
            lines.append(f"{pad}{cell_text(key)}: {_flow(item)}")
    if isinstance(value, list):
        lines += (f"{pad}- {_flow(item)}" for item in value)
    return lines


def _flow(value: Any) -> str:
    match value:
        case Mapping():
            return "{" + ", ".join(f"{cell_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case _:
            return cell_text(value)


def cell_text(value: Any) -> str:
    """Return a scalar as YAML and the language read it."""
    text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
