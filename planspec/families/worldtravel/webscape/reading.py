"""An agent's declarations of facts read on pages, compared with the pages: by kind of page and by cue.

An agent declares with a note `read` (`desk.note("read", [...])`, or a `note` line of a program), or else with
`read` beside `itinerary` in its answer: a list of objects. Each names its sort of fact in `of`
(`declaring.SORTS`; the default is a start), names its row as the pages do, and has the values that were read,
in the notation of a page or the world:

    {"place": "Galleria degli Uffizi", "date": "2026-06-03", "ticket": "Museum ticket", "time": "14:30", "status": "sold out"}
    {"of": "fare", "place": "Galleria degli Uffizi", "ticket": "Museum ticket", "fare": "Adult 18+", "price": "25 EUR"}
    {"of": "way", "from": "Galleria degli Uffizi", "to": "Palazzo Pitti", "mode": "foot", "time": "11 min"}
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
    RowKey,
    Sort,
    declarations,
    meanings,
    plain,
    rows_named,
    status_of,
)
from planspec.families.worldtravel.webscape.facts import ShownFact, left, members
from planspec.families.worldtravel.webscape.forms import Form, value
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, Press
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from planspec.traces.record import Call, Trace
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.environment.decisive_facts import WorldFact as TaskFact
from planspec.verifiers.environment.other_worlds import OtherWorld

PLENTY = 99
"""Assumed places of a start that is declared available without a number."""
MOST_CELL = 200
"""Characters stored of a declaration."""
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_off(
    task: Task, press: Press, shown: Callable[[Call], Sequence[PageSpec]], trace: Trace
) -> AgentReading | None:
    """Return an agent's reading of the pages that it was shown.

    A fact counts once for each kind of page and cue that showed it. Of several declarations of a row, the
    last one with the value counts. If several rows have the same name, such as the hours of a day with a
    break, a declaration may mean any of them.

    Args:
        task: attempted task.
        press: maker of the pages.
        shown: returns the pages shown by a call.
        trace: trace of the attempt.

    Returns:
        None if nothing was declared.
    """
    declared: dict[RowKey, list[Mapping[str, Any]]] = {}
    unclear = 0
    note = trace.extra.get(NOTE, _in_answer(trace.answer))
    for declaration in () if note is None else declarations(note):
        if declaration is None:
            unclear += 1
        else:
            declared.setdefault(declaration[0], []).append(declaration[1])
    if not declared and not unclear:
        return None
    specs = dict.fromkeys(
        spec for call in trace.calls if call.result is not None and call.result.ok for spec in shown(call)
    )
    return _DeclarationReader(task, press.tables, declared).read(
        [press.page(spec) for spec in specs], unclear
    )


def _in_answer(text: str | None) -> object:
    """Return the declarations in an answer; models have no other place for them."""
    answer = None if text is None else read_answer(text, fits=FORMAT.is_answer)
    return answer.plan.get(NOTE) if isinstance(answer, Answer) and isinstance(answer.plan, Mapping) else None


@dataclass(frozen=True, slots=True)
class _ComparedValue:
    """A declaration compared with a fact.

    Attributes:
        outcome: result of the comparison.
        text: text of the declaration.
        value: declared value, for the world as read; None if it is no possible value.
    """

    outcome: ReadOutcome
    text: str = ""
    value: Any = None


class _DeclarationReader:
    def __init__(
        self, task: Task, tables: Tables, declared: Mapping[RowKey, Sequence[Mapping[str, Any]]]
    ) -> None:
        self._task, self._tables, self._declared = task, tables, declared
        self._named = rows_named(tables)
        self._alike: dict[RowKey, int] = {}
        for key in self._named.values():
            self._alike[key] = self._alike.get(key, 0) + 1
        self._rows = {
            (f"{name}.csv", row.line): (row, place) for name in tables.names for place, row in enumerate(tables.rows(name))
        }  # fmt: skip
        self._tasks = {_CAPITAL.sub("_", name).lower(): facts for name, facts in task.facts.items()}

    def read(self, pages: Iterable[Page], unclear: int) -> AgentReading:
        facts_read: dict[tuple[Any, ...], FactRead] = {}
        misread: dict[tuple[TaskRow, str], Any] = {}
        seen: set[RowKey] = set()
        for page in pages:
            for fact in page.facts:
                sort = SORT_OF_FILE.get(fact.cell.file)
                word = None if sort is None else _word(sort, fact)
                key = page.spec.kind, fact.cue, fact.cell, fact.member, word
                if sort is None or word is None or key in facts_read:
                    continue
                row, place = self._rows[fact.cell.file, fact.cell.line]
                seen.add(self._named[row])
                declared = self._compare(fact, word, row)
                task_row = self._tasks[sort.table].rows[place]
                facts_read[key] = FactRead(
                    TaskFact(task_row._table.name, task_row, fact.cell.column).place(self._task.currency), f"{sort.of} {word}",
                    page.spec.kind, fact.cue, _cell_text(fact, row), _state(fact, row), declared.outcome, declared.text,
                )  # fmt: skip
                if declared.outcome == "wrong" and declared.value is not None:
                    typed = self._typed(task_row, fact, declared.value)
                    if typed is not None:
                        misread[task_row, fact.cell.column] = typed
        world = OtherWorld(self._task).with_cells(misread) if misread else None
        elsewhere = sum(len(declared) for key, declared in self._declared.items() if key not in seen)
        return AgentReading(tuple(facts_read.values()), elsewhere, world, unclear)

    def _compare(self, fact: ShownFact, word: str, row: WorldRow) -> _ComparedValue:
        key = self._named[row]
        entries = [values[word] for values in self._declared.get(key, ()) if word in values]
        if not entries:
            return _ComparedValue("missing")
        judged = [_judged(fact, row, entry) for entry in entries]
        if self._alike[key] > 1 and any(result.outcome == "right" for result in judged):
            return next(result for result in judged if result.outcome == "right")
        return judged[-1]

    def _typed(self, task_row: TaskRow, fact: ShownFact, declared: Any) -> Any:
        """Return a value with the task's type, or None."""
        column = task_row._table.columns[fact.cell.column]
        match column.type:
            case SetType(EnumType(members=names)) | ListType(EnumType(members=names)):
                chosen = [member for member in names if plain(member) in declared]
                return tuple(chosen)
            case EnumType(members=names):
                return next((member for member in names if plain(member) == declared), None)
            case ScalarType.BOOL:
                return bool(declared)
            case ScalarType.TEXT:
                return str(declared)
            case ScalarType():
                return declared if isinstance(declared, int) else None
            case _:
                return None


def _word(sort: Sort, fact: ShownFact) -> str | None:
    """Return the agents' name of a fact's value, or None for names of rows."""
    if fact.cell.file == "entry.csv" and fact.cell.column == "left":
        return STATUS if fact.form is None else "left"
    return next((word for word, column in sort.values.items() if column == fact.cell.column), None)


def _state(fact: ShownFact, row: WorldRow) -> str:
    if fact.cell.file == "entry.csv" and fact.cell.column == "left" and fact.form is None:
        return SOLD_OUT if left(row) == "gone" else AVAILABLE
    return ""


def _cell_text(fact: ShownFact, row: WorldRow) -> str:
    cell = row[fact.cell.column]
    return _state(fact, row) or (cell if fact.member is None else members(cell)[fact.member])


def _judged(fact: ShownFact, row: WorldRow, declared: Any) -> _ComparedValue:
    """Compare a declared value with the page."""
    text = str(declared)[:MOST_CELL]
    cell = row[fact.cell.column]
    if _state(fact, row):
        is_gone = {SOLD_OUT: True, AVAILABLE: False, None: None}[status_of(text)]
        is_right = is_gone == (left(row) == "gone")
        return _ComparedValue(
            "right" if is_right else "wrong", text, None if is_gone is None else 0 if is_gone else PLENTY
        )
    if fact.member is not None:
        declared_members = (
            {plain(str(member)) for member in declared}
            if isinstance(declared, list)
            else {plain(part) for part in text.split(",")}
        )
        return _ComparedValue(
            "right" if plain(members(cell)[fact.member]) in declared_members else "wrong",
            text,
            declared_members,
        )
    if cell in ("true", "false"):
        truth = declared if isinstance(declared, bool) else _truth(plain(text))
        return _ComparedValue("right" if truth == (cell == "true") else "wrong", text, truth)
    form: Form = fact.form or "word"
    expected = plain(cell) if form in ("word", "text") else value(form, cell)
    candidates = meanings(form, declared)
    return _ComparedValue(
        "right" if expected in candidates else "wrong", text, candidates[0] if candidates else None
    )


def _truth(text: str) -> bool | None:
    """Return the truth value of phrases such as `true`, `Booking required`, `No booking`, `with a guide`, or None."""
    if text in ("true", "false"):
        return text == "true"
    return None if not text else not text.startswith(("no", "without", "not"))


def shown_by(
    pages: Mapping[str, Callable[[Mapping[str, Any]], Sequence[PageSpec]]],
) -> Callable[[Call], Sequence[PageSpec]]:
    """Return a function that gives the pages shown by a call.

    Args:
        pages: functions from arguments to pages, by the name of the call.
    """

    def shown(call: Call) -> Sequence[PageSpec]:
        find_pages = pages.get(call.name or "")
        return [] if find_pages is None else find_pages(call.arguments or {})

    return shown
