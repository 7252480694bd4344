"""Long-running work on tasks: proofs by solvers, and edits based on proofs.

The language server runs it in a worker process, and the playground in a web worker.
"""

from __future__ import annotations

import json
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
from planspec.suite_writing.writing import cell_text, yaml_lines
from planspec.verifiers.answers.format import TABLES, plain_json
from planspec.verifiers.meaning.ground import FieldDomain, Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import assign_to_scope

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits

SECONDS = 20.0
"""Time limit in seconds for proofs that run while the author types."""
MOST_MUTANTS = 600
"""Maximum number of changed plans that are judged in search of a case."""
MOST_VALUES = 6
"""Maximum number of values tried in one cell in search of a case."""

PanelAction: TypeAlias = Callable[[Path, Workspace, Json], Json]
"""Function of a task's file, the workspace that reads it, and further parameters. It returns the result as JSON."""


class PanelWorkError(PlanspecError):
    """The action cannot be carried out on this task. The message says why."""

    exit_code = 1


def run_panel_action(name: str, path: Path, workspace: Workspace, params: Json) -> Json:
    """Run an action of the editor on a task, such as the proof of its claims.

    Args:
        name: key of `PANEL_ACTIONS`.
        path: file of the task.
        workspace: reads the current texts of the task and of its imports.
        params: further parameters.

    Returns:
        The result, or the reason under `error` if the action fails.
    """
    try:
        return PANEL_ACTIONS[name](path, workspace, params)
    except PlanspecError as error:
        return {"error": str(error)}
    except ModuleNotFoundError as error:
        return {"error": error.msg}


def prove_claims(path: Path, workspace: Workspace, params: Json) -> Json:
    """Prove whether a task has a plan, whether it has only one, and whether its reference passes."""
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
    """Remove as few rows as possible to make the reference the only plan. Return the new text of the task."""
    require("ortools", "solve", "tightening needs an extra")
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.validation import validate

    task = task_from_path(path, workspace)
    reference = Judge(task).reference_data()
    if not isinstance(reference, Mapping):
        raise PanelWorkError("there is no `reference` that could be made the only plan")
    file = TightenableTask(path, reference, workspace)
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
    message = f"{count} row{'' if count == 1 else 's'} left out{proved}; the reference is now {again.unique.status}"
    return {"text": text, "said": message}


def repair(path: Path, workspace: Workspace, params: Json) -> Json:
    """Repair the reference by the smallest change that satisfies all hard constraints.

    The result has the new text of the document, or of the JSON file with the reference.
    """
    require("ortools", "solve", "repairs need an extra")
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.repair import repair as nearest

    task = task_from_path(path, workspace)
    judge = Judge(task)
    verdict = judge.reference_verdict()
    if verdict is None or verdict.status == "undelivered":
        raise PanelWorkError("there is no `reference` to repair")
    if verdict.status == "pass":
        return {"said": "the reference passes already"}
    reference = judge.reference_data()
    answer = judge.read(reference)
    if answer is None:
        raise PanelWorkError("the reference cannot be read as a plan")
    result = nearest(judge.ground, answer, limits=_limits(params))
    if result.plan is None:
        words = {Status.INFEASIBLE: "no plan satisfies every hard constraint"}
        raise PanelWorkError(words.get(result.status, "time ran out"))
    answer_ = _restore_row_order(plain_json(judge.encode(result.plan)), reference, task.plan_tables)
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
    return {
        "text": replace_section(task.span.source.text, "reference", yaml_lines(answer_, 2)),
        "said": message,
    }


def _restore_row_order(answer: Any, before: Any, tables: Sequence[Table]) -> Any:
    """Return an answer with its rows in the order of an earlier answer. New rows come last."""
    if not isinstance(answer, dict) or not isinstance(before, Mapping):
        return answer
    for table in tables:
        rows, original = answer.get(table.name), before.get(table.name)
        if isinstance(rows, list) and isinstance(original, list):
            places = {_row_key(row, table): index for index, row in enumerate(original)}
            answer[table.name] = sorted(rows, key=lambda row: places.get(_row_key(row, table), len(places)))
    return answer


def _row_key(row: Any, table: Table) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in table.key) if isinstance(row, Mapping) else ()


def add_case(path: Path, workspace: Workspace, params: Json) -> Json:
    """Add a test case to the task: the reference with one changed cell, so that it violates a single constraint."""
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
    cell = _find_violating_change(judge, plan, frozenset(names))
    if cell is None:
        raise PanelWorkError(f"no change of one cell of the reference violates `{requested}` alone")
    text = task.span.source.text
    name = _unused_case_name(task, requested)
    entry = [
        f"  {name}:",
        "    from: reference",
        f"    change: {{{cell.table.name}: {cell.change(task)}}}",
        f"    violates: [{', '.join(map(cell_text, cell.violated))}]",
    ]
    return {
        "text": add_entry(text, "cases", entry),
        "said": f"case `{name}` violates {', '.join(cell.violated)}",
    }


PANEL_ACTIONS: Mapping[str, PanelAction] = {
    "claims": prove_claims,
    "tighten": tighten,
    "repair": repair,
    "case": add_case,
}
"""Functions that the worker process runs, by name."""


def _limits(params: Json) -> Limits:
    from planspec.solvers.backends.outcome import Limits

    return Limits(seconds=float(params.get("seconds") or SECONDS))


# -- cases ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """A change of one cell of a plan.

    Attributes:
        key: key of the row, as text.
        value: new value of the cell.
        violated: ids of the constraint instances that the changed plan violates.
    """

    table: Table
    key: str
    column: Column
    value: Any
    violated: tuple[str, ...]

    def change(self, task: Task) -> str:
        """Return the change in the syntax of cases."""
        cell = f"{{{self.column.name}: {cell_text(json_value(self.value, self.column.type, task.currency))}}}"
        return cell if self.table.one else f"{{{cell_text(self.key)}: {cell}}}"


def _find_violating_change(judge: Judge, plan: Plan, names: frozenset[str]) -> ChangedCell | None:
    """Return a change that violates only the named constraint instances, and as few of them as possible.

    Return None if there is no such change.
    """
    best: ChangedCell | None = None
    for _, (changed, data) in zip(range(MOST_MUTANTS), _mutants(judge, plan), strict=False):
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
    """Yield changes of one cell, each with the changed plan as JSON tables."""
    task = judge.task
    original = TABLES.encode(task, plan)
    for table in task.plan_tables:
        rows = plan.tables[table.name]
        for number, (row, domains) in enumerate(zip(rows, _row_domains(judge.ground, table, rows), strict=True)):
            for column in table.columns.values():
                if column.key or domains is None:
                    continue
                current = getattr(row, column.name)
                for value in _other_values(domains[column.name], current):
                    cell = json_value(value, column.type, task.currency)
                    cells = original[table.name]
                    data = (
                        {**cells, column.name: cell}
                        if table.one
                        else [{**x, column.name: cell} if at == number else x for at, x in enumerate(cells)]
                    )
                    changed = ChangedCell(table, row_key(row, task.currency), column, value, ())
                    yield changed, {**original, table.name: data}


def _row_domains(ground_: Ground, table: Table, rows: Sequence[Any]) -> list[Mapping[str, FieldDomain] | None]:
    return [None if domains is None else domains.fields for domains in assign_to_scope(ground_, table.name, rows)]


def _other_values(domain: FieldDomain, current: Any) -> list[Any]:
    """Return other values to try in a cell.

    They come from the cell's domain. For a range of numbers they are neighbours of the current value.
    """
    if domain.interval is not None:
        low, high, step = domain.interval
        candidates = (
            [current - step, current + step, current - 4 * step, current + 4 * step, low, high]
            if current is not None
            else [low, high]
        )
        values = [value for value in candidates if low <= value <= high]
    elif domain.values is not None and len(domain.values) > 1:
        values = [*domain.values[:MOST_VALUES], domain.values[-1]]
    elif isinstance(current, int) and not isinstance(current, bool):
        values = [current + 1, current - 1, current * 2]
    else:
        values = []
    if domain.or_none:
        values.append(None)
    return [value for value in dict.fromkeys(values) if value != current and not (isinstance(value, int) and value < 0)]


def _unused_case_name(task: Task, constraint: str) -> str:
    section = _section(task, "cases")
    taken = {key.text for key, _ in section.entries} if isinstance(section, YamlMapping) else set()
    stem = f"breaks-{constraint.partition('[')[0].replace('_', '-')}"
    return next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)


# -- texts ------------------------------------------------------------------------------------------------


def _section(task: Task, name: str) -> Node | None:
    root = compose(task.span.source, Report())
    if not isinstance(root, YamlMapping):
        return None
    return next((node for key, node in root.entries if key.text == name), None)


def replace_section(text: str, name: str, lines: Sequence[str]) -> str:
    """Return a document's text with the lines of a section replaced. A missing section is added."""
    root = _root_mapping(text)
    for key, node in root.entries:
        if key.text == name:
            return f"{text[: key.span.end]}:\n" + "\n".join(lines) + text[node.span.end :]
    return text.rstrip("\n") + f"\n{name}:\n" + "\n".join(lines) + "\n"


def add_entry(text: str, name: str, lines: Sequence[str]) -> str:
    """Return a document's text with an entry added at the end of a section.

    `lines` are indented by two spaces.

    Raises:
        PanelWorkError: the section is in flow style, or has another indentation.
    """
    root = _root_mapping(text)
    for key, node in root.entries:
        if key.text == name and isinstance(node, YamlMapping) and node.entries:
            depth = node.entries[0][0].span.column - 1
            if node.flow or not depth:
                raise PanelWorkError(f"`{name}:` stands in braces; write one entry on each line")
            moved = (
                [" " * (depth - 2) + line for line in lines] if depth >= 2 else [line[2 - depth :] for line in lines]
            )
            end = text.find("\n", node.span.end)
            end = len(text) if end == -1 else end
            return text[:end] + "\n" + "\n".join(moved) + text[end:]
        if key.text == name:
            return f"{text[: key.span.end]}:\n" + "\n".join(lines) + text[max(node.span.end, key.span.end + 1) :]
    return text.rstrip("\n") + f"\n{name}:\n" + "\n".join(lines) + "\n"


def _root_mapping(text: str) -> YamlMapping:
    root = compose(source_from_text(text, ""), Report())
    assert isinstance(root, YamlMapping), "a task that was checked is a mapping"
    return root
