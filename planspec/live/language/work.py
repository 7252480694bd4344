"""Work that takes a while: what solvers prove of a task, and the edits that follow from it.

A worker process does it for the language server, and the playground in its own worker; both hand over texts as they are typed.
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
"""The time that proofs may take while their author goes on typing."""
MUTANTS = 600
"""The most changed answers that are judged to find a case."""
VALUES = 6
"""The most values of a cell that are tried for a case."""

PLAIN = re.compile(r"\w(?:[\w .@-]|:(?=\w))*(?<! )")
"""Texts that YAML and the language read alike without quotes."""

Work: TypeAlias = Callable[[Path, Workspace, Json], Json]
"""Works on a task's file, read from a workspace, with further parameters."""


class PanelWorkError(PlanspecError):
    """The work cannot be done on this task; the message says why, for its author."""

    exit_code = 1


def work(name: str, path: Path, workspace: Workspace, params: Json) -> Json:
    """The result of a piece of work.

    Args:
        name: of it, see `WORK`.
        path: of the task.
        workspace: reads the task and what it uses, as they are typed.
        params: what else the work takes.

    Returns:
        What was found; where the work cannot be done, why, under `error`.
    """
    try:
        return WORK[name](path, workspace, params)
    except PlanspecError as error:
        return {"error": str(error)}
    except ModuleNotFoundError as error:
        return {"error": error.msg}


def claims(path: Path, workspace: Workspace, params: Json) -> Json:
    """Whether a task has a plan and only one, and whether its reference passes."""
    task = task_from_path(path, workspace)
    judge = Judge(task)
    verdict = judge.reference_verdict()
    made: Json = {"reference": None if verdict is None else verdict.status}
    if verdict is not None:
        made["violated"] = [
            x.constraint for x in verdict.findings if x.status == "violated" and x.level in ("hard", "shape")
        ]
    if not task.scope:
        return made
    require("ortools", "solve", "proofs need an extra")
    from planspec.solvers.questions.claims import validate_claims

    found = validate_claims(judge.ground, backends=("cpsat",), limits=_limits(params))
    proved = [
        found.unique.backends.values(),
        () if found.best is None else found.best.unique.backends.values(),
    ]
    made |= {
        "feasible": found.feasible.status,
        "unique": found.unique.status,
        "best": None if found.best is None else found.best.unique.status,
        "seconds": round(sum(claim.seconds for claims_ in proved for claim in claims_), 3),
    }
    return made


def tighten(path: Path, workspace: Workspace, params: Json) -> Json:
    """The task's text with rows left out until its reference is the only plan, leaving out the fewest."""
    require("ortools", "solve", "tightening needs an extra")
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.validation import validate

    task = task_from_path(path, workspace)
    if not isinstance(task.reference, Mapping):
        raise PanelWorkError("there is no `reference` that could be made the only plan")
    file = TightenableTask(path, task.reference, workspace)
    found = file.tighten(file.removable(), limits=_limits(params))
    if found.status not in (Status.OPTIMAL, Status.FEASIBLE):
        words = {Status.INFEASIBLE: "whatever rows go, another plan stays or the reference goes with it"}
        raise PanelWorkError(words.get(found.status, "time ran out"))
    if not found.removed:
        return {"text": None, "said": "the reference is the only plan already"}
    text = file.text(found.removed)
    trial = Workspace(workspace.shipped)
    trial.hold(path, text)
    again = validate(ground(task_from_path(path, trial)), backends=("cpsat",), limits=_limits(params))
    count = len(found.removed)
    proved = ", proved fewest" if found.smallest else ""
    said = (
        f"{count} row{'' if count == 1 else 's'} left out{proved}; the reference is now {again.unique.status}"
    )
    return {"text": text, "said": said}


def repair(path: Path, workspace: Workspace, params: Json) -> Json:
    """The reference with the smallest change after which it passes: as text of the document, or of its own file."""
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
    found = nearest(judge.ground, answer, limits=_limits(params))
    if found.plan is None:
        words = {Status.INFEASIBLE: "no plan satisfies every hard constraint"}
        raise PanelWorkError(words.get(found.status, "time ran out"))
    made = _as_before(plain_json(judge.encode(found.plan)), task.reference, task.plan_tables)
    count = len(found.edits)
    proved = ", proved smallest" if found.status is Status.OPTIMAL else ""
    said = f"{count} cell{'' if count == 1 else 's'} changed{proved}"
    node = _section(task, "reference")
    if isinstance(node, Scalar) and node.text.endswith(".json"):
        file = (path.parent / node.text).resolve()
        return {
            "file": str(file),
            "text": json.dumps(made, indent=1, ensure_ascii=False) + "\n",
            "said": said,
        }
    return {"text": with_section(task.span.source.text, "reference", yaml_text(made, 2)), "said": said}


def _as_before(made: Any, before: Any, tables: Sequence[Table]) -> Any:
    """An answer whose rows stand in the order that their author gave them; new ones come last."""
    if not isinstance(made, dict) or not isinstance(before, Mapping):
        return made
    for table in tables:
        rows, written = made.get(table.name), before.get(table.name)
        if isinstance(rows, list) and isinstance(written, list):
            places = {_key_of(row, table): place for place, row in enumerate(written)}
            made[table.name] = sorted(rows, key=lambda row: places.get(_key_of(row, table), len(places)))
    return made


def _key_of(row: Any, table: Table) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in table.key) if isinstance(row, Mapping) else ()


def case(path: Path, workspace: Workspace, params: Json) -> Json:
    """The task's text with a further case: the reference, changed in one cell so that it violates one constraint alone."""
    task = task_from_path(path, workspace)
    judge = Judge(task)
    plan = judge.reference_plan()
    if plan is None:
        raise PanelWorkError("a case changes the `reference`, and there is none that passes")
    wanted = str(params.get("constraint") or "")
    known = [x.id for x in judge.ground.instances if x.applicable and x.constraint.hard]
    names = [x for x in known if x == wanted or x.partition("[")[0] == wanted]
    if not names:
        raise PanelWorkError(f"`{wanted}` is no hard constraint that applies to this task")
    found = _violating(judge, plan, frozenset(names))
    if found is None:
        raise PanelWorkError(f"no change of one cell of the reference violates `{wanted}` alone")
    text = task.span.source.text
    name = _free_name(task, wanted)
    entry = [
        f"  {name}:",
        "    from: reference",
        f"    change: {{{found.table.name}: {found.change(task)}}}",
        f"    violates: [{', '.join(map(cell_text, found.violated))}]",
    ]
    return {
        "text": with_entry_in(text, "cases", entry),
        "said": f"case `{name}` violates {', '.join(found.violated)}",
    }


WORK: Mapping[str, Work] = {"claims": claims, "tighten": tighten, "repair": repair, "case": case}
"""The pieces of work by name."""


def _limits(params: Json) -> Limits:
    from planspec.solvers.backends.outcome import Limits

    return Limits(seconds=float(params.get("seconds") or SECONDS))


# -- cases ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """A cell of a plan with another value, and the hard instances that are violated then."""

    table: Table
    key: str
    column: Column
    value: Any
    violated: tuple[str, ...]

    def change(self, task: Task) -> str:
        """The change as a case writes it."""
        cell = f"{{{self.column.name}: {cell_text(json_value(self.value, self.column.type, task.currency))}}}"
        return cell if self.table.one else f"{{{cell_text(self.key)}: {cell}}}"


def _violating(judge: Judge, plan: Plan, names: frozenset[str]) -> ChangedCell | None:
    """A changed cell that violates instances among the named ones and nothing else, as few as possible."""
    best: ChangedCell | None = None
    for _, (changed, data) in zip(range(MUTANTS), _mutants(judge, plan), strict=False):
        made, wrong = TABLES.decode(judge.task, data)
        if wrong:
            continue
        verdict = judge.plan(made)
        violated = tuple(
            x.constraint for x in verdict.findings if x.status == "violated" and x.level in ("hard", "shape")
        )
        if violated and names.issuperset(violated) and (best is None or len(violated) < len(best.violated)):
            best = replace(changed, violated=violated)
            if len(violated) == 1:
                return best
    return best


def _mutants(judge: Judge, plan: Plan) -> Iterator[tuple[ChangedCell, Any]]:
    """The plan's tables with one cell changed, each with that cell."""
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


def _places(known: Ground, table: Table, rows: Sequence[Any]) -> list[Mapping[str, FieldDomain] | None]:
    return [None if place is None else place.fields for place in places_of(known, table.name, rows)]


def _others(domain: FieldDomain, now: Any) -> list[Any]:
    """Other values of a cell: near ones and far ones of its domain; of a number without choice, ones beside it."""
    if domain.interval is not None:
        low, high, step = domain.interval
        near = (
            [now - step, now + step, now - 4 * step, now + 4 * step, low, high]
            if now is not None
            else [low, high]
        )
        found = [value for value in near if low <= value <= high]
    elif domain.values is not None and len(domain.values) > 1:
        found = [*domain.values[:VALUES], domain.values[-1]]
    elif isinstance(now, int) and not isinstance(now, bool):
        found = [now + 1, now - 1, now * 2]
    else:
        found = []
    if domain.or_none:
        found.append(None)
    return [
        value for value in dict.fromkeys(found) if value != now and not (isinstance(value, int) and value < 0)
    ]


def _free_name(task: Task, wanted: str) -> str:
    section = _section(task, "cases")
    taken = {key.text for key, _ in section.entries} if isinstance(section, YamlMapping) else set()
    stem = f"breaks-{wanted.partition('[')[0].replace('_', '-')}"
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
    """The text of a document with these lines below a key, in place of what stands there, or at the end."""
    root = _root(text)
    for key, node in root.entries:
        if key.text == name:
            return f"{text[: key.span.end]}:\n" + "\n".join(lines) + text[node.span.end :]
    return text.rstrip("\n") + f"\n{name}:\n" + "\n".join(lines) + "\n"


def with_entry_in(text: str, name: str, lines: Sequence[str]) -> str:
    """The text of a document with a further entry, two spaces deep, at the end of a section.

    Raises:
        PanelWorkError: the section stands in braces, or its entries stand at another depth.
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
    """A JSON object as lines of YAML: a key on each line, the objects of lists on one line each."""
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
    """A scalar as YAML and the language read it."""
    text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
