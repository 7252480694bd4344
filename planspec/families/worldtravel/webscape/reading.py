"""Comparison of the facts that an agent declares to have read with the pages that it was shown.

An agent declares facts in a note `read` (`desk.note("read", [...])`, or a `note` line of a program), or under `read`
beside `itinerary` in its answer. The note is a list of objects. Each object has the sort of the fact under `of` (see
`declaring.SORTS`; the default is `start`). It also has the names by which pages identify the fact's table row, and the
values that were read. Values may be in the notation of a page or of the city's tables:

    {"place": "Uffizi", "date": "2026-06-03", "ticket": "Museum ticket", "time": "14:30", "status": "sold out"}
    {"of": "fare", "place": "Uffizi", "ticket": "Museum ticket", "fare": "Adult 18+", "price": "25 EUR"}
    {"of": "way", "from": "Uffizi", "to": "Palazzo Pitti", "mode": "foot", "time": "11 min"}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.dsl.model.rows import Row as TaskRow
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, ListType, ScalarType, SetType
from planspec.environments.reading import NOTE, AgentReading, FactRead, ReadOutcome
from planspec.families.worldtravel.format.codec import FORMAT
from planspec.families.worldtravel.webscape.declaring import (
    AVAILABLE,
    SOLD_OUT,
    SORT_OF_FILE,
    STATUS,
    FactSort,
    RowKey,
    declarations,
    normalize_name,
    possible_values,
    row_keys,
    status_of,
)
from planspec.families.worldtravel.webscape.facts import ShownFact, availability, set_members
from planspec.families.worldtravel.webscape.forms import Form, parse_cell
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from planspec.traces.record import Call, Trace
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.environment.decisive_facts import WorldFact as TaskFact
from planspec.verifiers.environment.other_worlds import WorldVariants

PLENTY = 99
"""Number of free places assumed for a start time that is declared available without a number."""
MOST_CELL = 200
"""Maximum number of stored characters of a declared value."""
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def agent_reading(
    task: Task, renderer: PageRenderer, shown_pages: Callable[[Call], Sequence[PageSpec]], trace: Trace
) -> AgentReading | None:
    """Compare an agent's declarations with the pages that it was shown.

    A fact counts once for each kind of page and each cue (way in which it is shown). If a value is declared several
    times, the last declaration counts. If several rows have the same names, such as the opening hours of a day with a
    break, a declaration may mean any of them.

    Args:
        task: attempted task.
        renderer: renderer of the pages.
        shown_pages: function that returns the pages shown by a call.
        trace: trace of the attempt.

    Returns:
        The result of the comparison, or None if nothing was declared.
    """
    declared: dict[RowKey, list[Mapping[str, Any]]] = {}
    unclear = 0
    note = trace.extra.get(NOTE, _declarations_in_answer(trace.answer))
    for declaration in () if note is None else declarations(note):
        if declaration is None:
            unclear += 1
        else:
            declared.setdefault(declaration[0], []).append(declaration[1])
    if not declared and not unclear:
        return None
    specs = dict.fromkeys(
        spec for call in trace.calls if call.result is not None and call.result.ok for spec in shown_pages(call)
    )
    return _DeclarationReader(task, renderer.tables, declared).read([renderer.page(spec) for spec in specs], unclear)


def _declarations_in_answer(text: str | None) -> object:
    """Return the declarations in an answer. Models that give a single answer must put them there."""
    answer = None if text is None else read_answer(text, fits=FORMAT.is_answer)
    return answer.plan.get(NOTE) if isinstance(answer, Answer) and isinstance(answer.plan, Mapping) else None


@dataclass(frozen=True, slots=True)
class _ComparedValue:
    """The result of comparing a declared value with a fact.

    Attributes:
        outcome: whether the value is right, wrong or missing.
        text: declared value as text.
        value: declared value in the form of the city's tables; None if it cannot be parsed.
    """

    outcome: ReadOutcome
    text: str = ""
    value: Any = None


class _DeclarationReader:
    def __init__(self, task: Task, tables: Tables, declared: Mapping[RowKey, Sequence[Mapping[str, Any]]]) -> None:
        self._task, self._tables, self._declared = task, tables, declared
        self._keys = row_keys(tables)
        self._rows_by_key: dict[RowKey, int] = {}
        for key in self._keys.values():
            self._rows_by_key[key] = self._rows_by_key.get(key, 0) + 1
        self._rows = {
            (f"{name}.csv", row.line): (row, place)
            for name in tables.names
            for place, row in enumerate(tables.rows(name))
        }
        self._tasks = {_CAPITAL.sub("_", name).lower(): facts for name, facts in task.facts.items()}

    def read(self, pages: Iterable[Page], unclear: int) -> AgentReading:
        facts_read: dict[tuple[Any, ...], FactRead] = {}
        misread: dict[tuple[TaskRow, str], Any] = {}
        seen: set[RowKey] = set()
        for page in pages:
            for fact in page.facts:
                sort = SORT_OF_FILE.get(fact.cell.file)
                declared_key = None if sort is None else _declared_key(sort, fact)
                key = page.spec.kind, fact.cue, fact.cell, fact.member, declared_key
                if sort is None or declared_key is None or key in facts_read:
                    continue
                row, place = self._rows[fact.cell.file, fact.cell.line]
                seen.add(self._keys[row])
                declared = self._compare(fact, declared_key, row)
                task_row = self._tasks[sort.table].rows[place]
                facts_read[key] = FactRead(
                    TaskFact(task_row._table.name, task_row, fact.cell.column).place(self._task.currency),
                    f"{sort.name} {declared_key}",
                    page.spec.kind,
                    fact.cue,
                    _cell_text(fact, row),
                    _shown_state(fact, row),
                    declared.outcome,
                    declared.text,
                )
                if declared.outcome == "wrong" and declared.value is not None:
                    typed_value = self._to_column_type(task_row, fact, declared.value)
                    if typed_value is not None:
                        misread[task_row, fact.cell.column] = typed_value
        world = WorldVariants(self._task).with_cells(misread) if misread else None
        elsewhere = sum(len(declared) for key, declared in self._declared.items() if key not in seen)
        return AgentReading(tuple(facts_read.values()), elsewhere, world, unclear)

    def _compare(self, fact: ShownFact, declared_key: str, row: WorldRow) -> _ComparedValue:
        key = self._keys[row]
        entries = [values[declared_key] for values in self._declared.get(key, ()) if declared_key in values]
        if not entries:
            return _ComparedValue("missing")
        judged = [_compare_value(fact, row, entry) for entry in entries]
        if self._rows_by_key[key] > 1 and any(result.outcome == "right" for result in judged):
            return next(result for result in judged if result.outcome == "right")
        return judged[-1]

    def _to_column_type(self, task_row: TaskRow, fact: ShownFact, declared: Any) -> Any:
        """Convert a declared value to the type of the task's column. Return None if it does not fit."""
        column = task_row._table.columns[fact.cell.column]
        match column.type:
            case SetType(EnumType(members=names)) | ListType(EnumType(members=names)):
                chosen = [member for member in names if normalize_name(member) in declared]
                return tuple(chosen)
            case EnumType(members=names):
                return next((member for member in names if normalize_name(member) == declared), None)
            case ScalarType.BOOL:
                return bool(declared)
            case ScalarType.TEXT:
                return str(declared)
            case ScalarType():
                return declared if isinstance(declared, int) else None
            case _:
                return None


def _declared_key(sort: FactSort, fact: ShownFact) -> str | None:
    """Return the key under which a declaration has a fact's value, or None if the fact only helps to name its row."""
    if fact.cell.file == "entry.csv" and fact.cell.column == "left":
        return STATUS if fact.form is None else "left"
    return next((declared_key for declared_key, column in sort.values.items() if column == fact.cell.column), None)


def _shown_state(fact: ShownFact, row: WorldRow) -> str:
    if fact.cell.file == "entry.csv" and fact.cell.column == "left" and fact.form is None:
        return SOLD_OUT if availability(row) == "gone" else AVAILABLE
    return ""


def _cell_text(fact: ShownFact, row: WorldRow) -> str:
    cell = row[fact.cell.column]
    return _shown_state(fact, row) or (cell if fact.member is None else set_members(cell)[fact.member])


def _compare_value(fact: ShownFact, row: WorldRow, declared: Any) -> _ComparedValue:
    """Compare a declared value with a fact on a page."""
    text = str(declared)[:MOST_CELL]
    cell = row[fact.cell.column]
    if _shown_state(fact, row):
        is_gone = {SOLD_OUT: True, AVAILABLE: False, None: None}[status_of(text)]
        is_right = is_gone == (availability(row) == "gone")
        return _ComparedValue(
            "right" if is_right else "wrong", text, None if is_gone is None else 0 if is_gone else PLENTY
        )
    if fact.member is not None:
        declared_members = (
            {normalize_name(str(member)) for member in declared}
            if isinstance(declared, list)
            else {normalize_name(part) for part in text.split(",")}
        )
        return _ComparedValue(
            "right" if normalize_name(set_members(cell)[fact.member]) in declared_members else "wrong",
            text,
            declared_members,
        )
    if cell in ("true", "false"):
        truth = declared if isinstance(declared, bool) else _is_affirmative(normalize_name(text))
        return _ComparedValue("right" if truth == (cell == "true") else "wrong", text, truth)
    form: Form = fact.form or "word"
    expected = normalize_name(cell) if form in ("word", "text") else parse_cell(form, cell)
    candidates = possible_values(form, declared)
    return _ComparedValue("right" if expected in candidates else "wrong", text, candidates[0] if candidates else None)


def _is_affirmative(text: str) -> bool | None:
    """Return whether a phrase says yes: True for `Booking required`, False for `No booking`.

    Return None if the phrase is empty.
    """
    if text in ("true", "false"):
        return text == "true"
    return None if not text else not text.startswith(("no", "without", "not"))


def pages_by_call(
    pages: Mapping[str, Callable[[Mapping[str, Any]], Sequence[PageSpec]]],
) -> Callable[[Call], Sequence[PageSpec]]:
    """Return a function that returns the pages shown by a tool call.

    Args:
        pages: functions that return the pages for a call's arguments, by the name of the tool.
    """

    def pages_of(call: Call) -> Sequence[PageSpec]:
        find_pages = pages.get(call.name or "")
        return [] if find_pages is None else find_pages(call.arguments or {})

    return pages_of
