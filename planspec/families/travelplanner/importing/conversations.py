"""Conversations of two or three turns that reveal a query step by step, as in FlexTravelBench.

A *local* wish concerns single choices: the cuisines, the room type, the house rule. A *global* wish concerns the whole
trip: the budget, the number of people. Each conversation hides one local wish, one global wish, or one of each, and
reveals it later. After the last turn the query is complete.

FlexTravelBench (Oh et al., 2025) uses the 120 queries of the validation set that have a local constraint. It
contains all possible conversations: 189 that add a local wish, 240 that add a global one, and 378 that add both
in each of the two orders (numbers from Table 5 of the HiMAP-Travel paper).

A published dialogue becomes one conversation. Its first turn has the published text. Later turns use sentences of this
module, since their texts are not published.
"""

from __future__ import annotations

from collections.abc import Mapping

from planspec.families.travelplanner.importing.queries import KnownPlaces, PublicQuery
from planspec.families.travelplanner.importing.tasks import (
    flight_lines,
    givens_of,
    head_lines,
    meta_lines,
    scope_text,
)
from planspec.suite_writing.writing import mapping_lines, yaml_scalar

LOCAL = {"cuisine": "tastes", "room-type": "room", "room-rule": "rule"}
"""Local wishes, each with the name of its given in the constraint library."""
GLOBAL = {"budget": "budget", "people": "party"}
"""Global wishes, each with the name of its given in the constraint library."""


def conversations_of(query: PublicQuery, places: KnownPlaces, base: str, world: str) -> dict[str, str]:
    """Return all conversations that can be made from a query, as task texts by id.

    Args:
        query: a query that fits the tables.
        places: places in the tables.
        base: SQLite file of the flights, relative to the task.
        world: world file, relative to the task.

    Returns:
        The task texts by id; empty if the query has no wishes to hide.
    """
    givens = givens_of(query, places)
    local = [wish for wish, name in LOCAL.items() if name in givens]
    whole_trip = [wish for wish in GLOBAL if wish != "people" or query.people_number > 1]
    whole_trip = [wish for wish in whole_trip if GLOBAL[wish] in givens] if local or query.people_number > 1 else []
    scenarios: list[tuple[str, tuple[str, ...]]] = [
        *(("local-add", (wish,)) for wish in local),
        *(("global-add", (wish,)) for wish in whole_trip),
        *(("local-global", (a, b)) for a in local for b in whole_trip),
        *(("global-local", (b, a)) for a in local for b in whole_trip),
    ]
    conversations = {}
    for scenario, wishes in scenarios:
        name = f"{query.name}-{scenario}-{'-'.join(wishes)}"
        conversations[name] = _task_text(name, query, places, givens, scenario, wishes, base, world)
    return conversations


def published_conversation(query: PublicQuery, places: KnownPlaces, base: str, world: str) -> str:
    """Return the task text of a published dialogue.

    Args:
        query: a dialogue that fits the tables.
        places: places in the tables.
        base: SQLite file of the flights, relative to the task.
        world: world file, relative to the task.
    """
    wishes = query.later_wishes
    kinds = ["local" if wish in LOCAL else "global" for wish in wishes]
    scenario = "-".join(kinds) if len(kinds) > 1 else f"{kinds[0]}-add"
    givens = givens_of(query, places)
    return _task_text(query.name, query, places, givens, scenario, wishes, base, world, query.query)


def _task_text(
    name: str,
    query: PublicQuery,
    places: KnownPlaces,
    givens: Mapping[str, str],
    scenario: str,
    wishes: tuple[str, ...],
    base: str,
    world: str,
    opening: str | None = None,
) -> str:
    hidden = {(LOCAL | GLOBAL)[wish] for wish in wishes}
    lines = head_lines(name, query, world)
    lines += mapping_lines("given", {key: value for key, value in givens.items() if key not in hidden})
    lines += ["turns:", f"  - query: {yaml_scalar(opening or _first_turn(query, places, hidden))}"]
    for wish in wishes:
        key = (LOCAL | GLOBAL)[wish]
        lines.append(f"  - query: {yaml_scalar(_later_turn(wish, query))}")
        lines += mapping_lines("given", {key: givens[key]}, "    ")
    lines += [*flight_lines(query, places, base), scope_text(query)]
    lines += meta_lines({"level": query.level, "scenario": scenario, "hidden": f"[{', '.join(wishes)}]"})
    return "\n".join(lines) + "\n"


def _first_turn(query: PublicQuery, places: KnownPlaces, hidden: set[str]) -> str:
    """Return the text of the first turn, without the hidden wishes."""
    constraint = query.local_constraint
    people = 1 if "party" in hidden else query.people_number
    where = query.dest if query.goes_to_city(places) else _cities_phrase(query)
    first, last = query.date[0], query.date[-1]
    when = f"from {first:%B} {first.day} to {last:%B} {last.day}, {last.year}"
    parts = [
        f"Please plan a trip of {query.days} days from {query.org} to {where}, {when}, for {_people_phrase(people)}."
    ]
    if query.budget is not None and "budget" not in hidden:
        parts.append(f"The budget is ${query.budget:,.0f}.")
    if constraint.cuisine and "tastes" not in hidden:
        parts.append(_cuisine_sentence(constraint.cuisine))
    if constraint.room is not None and "room" not in hidden:
        parts.append(_room_sentence(constraint.room))
    if constraint.rule is not None and "rule" not in hidden:
        parts.append(_house_rule_sentence(constraint.rule))
    if constraint.transportation is not None:
        parts.append(
            "No flights, please." if constraint.transportation == "no flight" else "We do not drive ourselves."
        )
    return " ".join(parts)


def _later_turn(wish: str, query: PublicQuery) -> str:
    """Return the text of a later turn, which adds a wish."""
    constraint = query.local_constraint
    match wish:
        case "cuisine":
            return f"One more thing. {_cuisine_sentence(constraint.cuisine or [])}"
        case "room-type":
            return f"I forgot to say something. {_room_sentence(constraint.room or '')}"
        case "room-rule":
            return f"I forgot to say something. {_house_rule_sentence(constraint.rule or '')}"
        case "budget":
            return f"All of it must cost no more than ${query.budget or 0:,.0f}."
        case _ if query.later_wishes:  # the first turn of a published dialogue states no number of people
            return f"The total number of people traveling is {query.people_number}."
        case _:
            return f"We are {_people_phrase(query.people_number)} now; please change the plan accordingly."


def _cities_phrase(query: PublicQuery) -> str:
    number = query.visiting_city_number
    return f"{number} {'city' if number == 1 else 'cities'} of {query.dest}"


def _people_phrase(number: int) -> str:
    return "one person" if number == 1 else f"{number} people"


def _cuisine_sentence(cuisines: list[str]) -> str:
    return f"We want to eat {', '.join(cuisines)} food on the way, each at least once."


def _room_sentence(room: str) -> str:
    return "no shared rooms." if room == "not shared room" else f"Wherever we stay, it must be {_with_article(room)}."


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _house_rule_sentence(rule: str) -> str:
    return f"Wherever we stay, {rule} must be allowed."
