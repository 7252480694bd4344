"""The text of a task document made from a draft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.worldtravel.generator.calendar import format_clock
from planspec.families.worldtravel.generator.drawing import Draft
from planspec.families.worldtravel.generator.world import LIBRARY
from planspec.suite_writing.writing import yaml_scalar

CLAIMS = (
    "unique: [visits.start]",
    "unique_best: [visits.cost, lodging.hotel, moves.mode, moves.cost]",
)
"""Claims of each task.

The hard constraints alone determine the starts. Together with the soft constraints, they determine the rest
of the plan.
"""


@dataclass(frozen=True, slots=True)
class WordedQuery:
    """The wording of a request.

    Attributes:
        text: text of the request.
        tells: by the name of a given or table, the words of the text that express it.
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
    extra_lines: Sequence[str] = (),
) -> str:
    """Return the text of a task.

    Args:
        draft: content of the task.
        task: id of the task.
        world: id or path of its world.
        query: wording of the request.
        budget: budget in minor units; None if the task has none.
        currency: currency of the budget.
        extra_lines: lines to add at the end of the document.
    """
    lines = [
        "planspec: task/1",
        f"id: {task}",
        f"title: {yaml_scalar(draft.core.title)}",
        f"world: {world}",
        f"uses: [{LIBRARY}]",
        "query: >-",
        *(f"  {line}" for line in _wrap_words(query.text)),
    ]
    if query.tells:
        lines += ["tells:", *(f"  {name}: {yaml_scalar(words)}" for name, words in query.tells.items())]
    lines += ["given:", *(f"  {name}: {value}" for name, value in _given_cells(draft, budget, currency))]
    lines += ["tables:"]
    for table, rows in _table_rows(draft):
        lines += [
            f"  {table}:",
            "    rows:",
            *(f"      - {{{', '.join(f'{k}: {v}' for k, v in row.items())}}}" for row in rows),
        ]
    return "\n".join([*lines, *CLAIMS, *extra_lines]) + "\n"


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


def _wrap_words(text: str, width: int = 116) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]
