"""What an agent read on pages, as it declares itself, beside what stands there: by kind of page and by cue.

An agent declares by a note `read` (`desk.note("read", [...])`, or a `note` line of a program), or, without one, by `read` beside `itinerary` in its answer: a list of objects. Each says `of` which
sort of fact it is (`declaring.SORTS`; a start where it says nothing), names its row as the pages do, and has the values that were read,
as a page or the world writes them:

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
from planspec.families.worldtravel.webscape.facts import Fact, left, members
from planspec.families.worldtravel.webscape.forms import Form, value
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, Press
from planspec.families.worldtravel.webscape.tables import Row, Tables
from planspec.traces.record import Call, Trace
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.environment.decisive_facts import WorldFact as TaskFact
from planspec.verifiers.environment.other_worlds import OtherWorld

PLENTY = 99
"""The places of a start that somebody takes for available, of which he does not say how many there are."""
MOST_CELL = 200
"""Characters of a declaration that are kept."""
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_off(
    task: Task, press: Press, shown: Callable[[Call], Sequence[PageSpec]], trace: Trace
) -> AgentReading | None:
    """What an agent read on the pages that it was shown.

    A fact counts once for each kind of page and cue that showed it. Of several declarations of a row the last one that says the
    value counts; of rows that are named alike, such as the hours of a day with a break, each may have been meant.

    Args:
        task: that was attempted.
        press: makes the pages.
        shown: the pages that a call showed.
        trace: of the attempt.

    Returns:
        None where nothing was declared.
    """
    declared: dict[RowKey, list[Mapping[str, Any]]] = {}
    unclear = 0
    note = trace.extra.get(NOTE, _in_answer(trace.answer))
    for one in () if note is None else declarations(note):
        if one is None:
            unclear += 1
        else:
            declared.setdefault(one[0], []).append(one[1])
    if not declared and not unclear:
        return None
    specs = dict.fromkeys(
        spec for call in trace.calls if call.result is not None and call.result.ok for spec in shown(call)
    )
    return _Reader(task, press.tables, declared).read([press.page(spec) for spec in specs], unclear)


def _in_answer(said: str | None) -> object:
    """The declarations that stand in an answer; models have no other place for them."""
    answer = None if said is None else read_answer(said, fits=FORMAT.is_answer)
    return answer.plan.get(NOTE) if isinstance(answer, Answer) and isinstance(answer.plan, Mapping) else None


@dataclass(frozen=True, slots=True)
class _Said:
    """What was declared of a fact.

    Attributes:
        outcome: beside what stands there.
        text: as it was declared.
        value: what it means, for the world as it was read; None where it means nothing that could stand there.
    """

    outcome: ReadOutcome
    text: str = ""
    value: Any = None


class _Reader:
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
        found: dict[tuple[Any, ...], FactRead] = {}
        misread: dict[tuple[TaskRow, str], Any] = {}
        met: set[RowKey] = set()
        for page in pages:
            for fact in page.facts:
                sort = SORT_OF_FILE.get(fact.cell.file)
                word = None if sort is None else _word(sort, fact)
                key = page.spec.kind, fact.cue, fact.cell, fact.member, word
                if sort is None or word is None or key in found:
                    continue
                row, place = self._rows[fact.cell.file, fact.cell.line]
                met.add(self._named[row])
                said = self._said(fact, word, row)
                task_row = self._tasks[sort.table].rows[place]
                found[key] = FactRead(
                    TaskFact(task_row._table.name, task_row, fact.cell.column).place(self._task.currency), f"{sort.of} {word}",
                    page.spec.kind, fact.cue, _says(fact, row), _state(fact, row), said.outcome, said.text,
                )  # fmt: skip
                if said.outcome == "wrong" and said.value is not None:
                    taken = self._typed(task_row, fact, said.value)
                    if taken is not None:
                        misread[task_row, fact.cell.column] = taken
        world = OtherWorld(self._task).with_cells(misread) if misread else None
        elsewhere = sum(len(said) for key, said in self._declared.items() if key not in met)
        return AgentReading(tuple(found.values()), elsewhere, world, unclear)

    def _said(self, fact: Fact, word: str, row: Row) -> _Said:
        key = self._named[row]
        said = [values[word] for values in self._declared.get(key, ()) if word in values]
        if not said:
            return _Said("missing")
        judged = [_judged(fact, row, one) for one in said]
        if self._alike[key] > 1 and any(one.outcome == "right" for one in judged):
            return next(one for one in judged if one.outcome == "right")
        return judged[-1]

    def _typed(self, task_row: TaskRow, fact: Fact, said: Any) -> Any:
        """A value as the task has it; None where it can have none such."""
        column = task_row._table.columns[fact.cell.column]
        match column.type:
            case SetType(EnumType(members=known)) | ListType(EnumType(members=known)):
                kept = [member for member in known if plain(member) in said]
                return tuple(kept)
            case EnumType(members=known):
                return next((member for member in known if plain(member) == said), None)
            case ScalarType.BOOL:
                return bool(said)
            case ScalarType.TEXT:
                return str(said)
            case ScalarType():
                return said if isinstance(said, int) else None
            case _:
                return None


def _word(sort: Sort, fact: Fact) -> str | None:
    """How agents call what a fact says; None of names, which say which row it is."""
    if fact.cell.file == "entry.csv" and fact.cell.column == "left":
        return STATUS if fact.form is None else "left"
    return next((word for word, column in sort.values.items() if column == fact.cell.column), None)


def _state(fact: Fact, row: Row) -> str:
    if fact.cell.file == "entry.csv" and fact.cell.column == "left" and fact.form is None:
        return SOLD_OUT if left(row) == "gone" else AVAILABLE
    return ""


def _says(fact: Fact, row: Row) -> str:
    cell = row[fact.cell.column]
    return _state(fact, row) or (cell if fact.member is None else members(cell)[fact.member])


def _judged(fact: Fact, row: Row, said: Any) -> _Said:
    """A declared value beside what stands there."""
    text = str(said)[:MOST_CELL]
    cell = row[fact.cell.column]
    if _state(fact, row):
        gone = {SOLD_OUT: True, AVAILABLE: False, None: None}[status_of(text)]
        right = gone == (left(row) == "gone")
        return _Said("right" if right else "wrong", text, None if gone is None else 0 if gone else PLENTY)
    if fact.member is not None:
        told = (
            {plain(str(one)) for one in said}
            if isinstance(said, list)
            else {plain(part) for part in text.split(",")}
        )
        return _Said("right" if plain(members(cell)[fact.member]) in told else "wrong", text, told)
    if cell in ("true", "false"):
        truth = said if isinstance(said, bool) else _truth(plain(text))
        return _Said("right" if truth == (cell == "true") else "wrong", text, truth)
    form: Form = fact.form or "word"
    meant = plain(cell) if form in ("word", "text") else value(form, cell)
    read = meanings(form, said)
    return _Said("right" if meant in read else "wrong", text, read[0] if read else None)


def _truth(said: str) -> bool | None:
    """Yes or no, in whichever words: `true`, `Booking required`, `No booking`, `with a guide`."""
    if said in ("true", "false"):
        return said == "true"
    return None if not said else not said.startswith(("no", "without", "not"))


def shown_by(
    pages: Mapping[str, Callable[[Mapping[str, Any]], Sequence[PageSpec]]],
) -> Callable[[Call], Sequence[PageSpec]]:
    """The pages that a call showed, by the pages that calls of its name show.

    Args:
        pages: from arguments to pages, by the name of the call.
    """

    def shown(call: Call) -> Sequence[PageSpec]:
        found = pages.get(call.name or "")
        return [] if found is None else found(call.arguments or {})

    return shown
