"""Writer of a task's YAML from a draft."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.worldtravel.generator.calendar import format_clock
from planspec.families.worldtravel.generator.drawing import Draft
from planspec.families.worldtravel.generator.world import LIBRARY
from planspec.suite_writing.writing import query_sections, yaml_scalar

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
CLAIM = "unique: [visits.start]"
"""Claim in a task's YAML that the hard constraints determine the start times of all visits."""
BEST_COLUMNS = ("visits.cost", "lodging.hotel", "moves.mode", "moves.cost")
"""Columns that the hard and soft constraints together determine.

If a place is visited in several sessions, only the sum of the sessions' costs is determined.
"""


SECTION_NAMES = (
    *("trip", "passes", "stars", "features", "near", "nights", "walk_up_to", "ride", "back_by", "budget"),
    *("Traveller", "Wish", "WishPart", "WishAddon", "Before"),
)
"""Names of the givens (parameters) and tables that a task can have."""


@dataclass(frozen=True, slots=True)
class WordedQuery:
    """A request in words.

    Attributes:
        text: text of the request. Lines are paragraphs.
        tells: words of the text that express a given (named input) or a table of the task, by its name.
    """

    text: str
    tells: Mapping[str, str]


def task_text(
    draft: Draft,
    task: str,
    world: str,
    query: WordedQuery,
    *,
    budget: int | None,
    currency: str,
    restaurants: Collection[str],
    extra_lines: Sequence[str] = (),
) -> str:
    """Return the YAML of a task.

    Args:
        draft: content of the task.
        task: id of the task.
        world: id or path of the world (file that declares the city's tables).
        query: request in words.
        budget: budget in minor units; None if the task has none.
        currency: currency of the budget.
        restaurants: ids of the city's restaurants.
        extra_lines: lines to add at the end of the document.
    """
    lines = [
        "planspec: task/1",
        f"id: {task}",
        f"title: {yaml_scalar(task_title(draft, restaurants))}",
        f"world: {world}",
        f"uses: [{LIBRARY}]",
    ]
    in_sessions = any(wish.kind.sessions > 1 for wish in draft.wishes)
    best = [column for column in BEST_COLUMNS if not (in_sessions and column == "visits.cost")]
    ends = [CLAIM, f"unique_best: [{', '.join(best)}]", *extra_lines]
    head, tail = ("".join(f"{line}\n" for line in part) for part in (lines, ends))
    return f"{head}{query_sections(query.text, query.tells)}{specification_text(draft, budget, currency)}{tail}"


def specification_text(draft: Draft, budget: int | None, currency: str) -> str:
    """Return the sections `given` and `tables` of a task.

    Args:
        draft: content of the task.
        budget: budget in minor units; None if the task has none.
        currency: currency of the budget.
    """
    lines = ["given:", *(f"  {name}: {value}" for name, value in _given_cells(draft, budget, currency)), "tables:"]
    for table, rows in _table_rows(draft):
        lines += [
            f"  {table}:",
            "    rows:",
            *(f"      - {{{', '.join(f'{k}: {v}' for k, v in row.items())}}}" for row in rows),
        ]
    return "".join(f"{line}\n" for line in lines)


def task_title(draft: Draft, restaurants: Collection[str]) -> str:
    """Return the title of a task.

    The title is taken from the draft's core (group of places) if the draft has everything that this title promises.
    Otherwise, it lists the kinds of visits.
    """
    if draft.keeps_promises:
        return draft.core.title
    kinds = [wish.kind for wish in draft.wishes if wish.place not in restaurants]
    meals = [wish.kind.meal or "a meal" for wish in draft.wishes if wish.place in restaurants]
    shows = [kind.genre for kind in kinds if kind.genre is not None]
    tours = sum(kind.guided for kind in kinds)
    sights = len(kinds) - len(shows) - tours
    things = [
        *([f"{_number_word(sights)} sight{'s' if sights > 1 else ''}"] if sights else []),
        *([f"{_number_word(tours)} guided tour{'s' if tours > 1 else ''}"] if tours else []),
        *sorted(f"{'an' if show[0] in 'aeio' else 'a'} {show}" for show in shows),
        *sorted(meals, key=["lunch", "dinner", "a meal"].index),
    ]
    *first, last = things
    listed = f"{', '.join(first)} and {last}" if first else last
    days = f" in {_number_word(len(draft.trip))} days" if len(draft.trip) > 1 else ""
    return f"{listed[:1].upper()}{listed[1:]}{days}"


def _number_word(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _given_cells(draft: Draft, budget: int | None, currency: str) -> Iterator[tuple[str, str]]:
    yield "trip", f"[{', '.join(map(str, draft.trip))}]"
    if draft.passes:
        yield "passes", f"[{', '.join(draft.passes)}]"
    if draft.stay.stars is not None:
        yield "stars", str(draft.stay.stars)
    if draft.stay.features:
        yield "features", f"[{', '.join(draft.stay.features)}]"
    if draft.stay.near is not None:
        yield "near", draft.stay.near
    if len(draft.trip) > 1:
        yield "nights", str(len(draft.trip))
    if draft.ride != "foot":
        yield "walk_up_to", f"{draft.walk}min"
    yield "ride", draft.ride
    if draft.back is not None:
        yield "back_by", format_clock(draft.back)
    if budget is not None:
        yield "budget", f"{budget // 100}.{budget % 100:02d} {currency}"


def _table_rows(draft: Draft) -> Iterator[tuple[str, list[dict[str, str]]]]:
    yield (
        "Traveller",
        [
            {"nr": str(i), "age": str(person.age)}
            | ({} if person.eu else {"eu": "false"})
            | ({"student": "true"} if person.student else {})
            for i, person in enumerate(draft.party.travellers, 1)
        ],
    )
    yield "Wish", [{"place": wish.place} | wish.kind.non_default_cells() for wish in draft.wishes]
    for table, column, items in (
        ("WishPart", "part", [part for wish in draft.wishes for part in wish.kind.parts]),
        ("WishAddon", "addon", [addon for wish in draft.wishes for addon in wish.kind.addons]),
    ):
        if items:
            yield table, [{column: item} for item in items]
    if draft.before:
        yield "Before", [{"earlier": a, "later": b} for a, b in draft.before]
