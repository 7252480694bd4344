"""Facts that an agent has seen are found by changing each fact and repeating every call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest

from planspec import Judge
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.perception import PerceivedFact, PerceivedTurn, ToolCall, perceive
from planspec.verifiers.environment.tools import TaskViews

TEXT = """\
planspec: task/1
id: trip
query: Two nights in town for at most 200 euros, please.
currency: EUR
tables:
  Hotel:
    columns: {name: text, rate: money, full: bool = false, stars: int}
    rows:
      - {id: inn, name: Harbour Inn, rate: 90 EUR, stars: 3}
      - {id: ark, name: The Ark, rate: 80 EUR, full: true, stars: 2}
      - {id: den, name: The Den, rate: 120 EUR, stars: 5}
given: {budget: 200 EUR, nights: 2}
plan:
  stay: {one: true, hotel: Hotel}
scope:
  stay: {hotel: Hotel}
constraints:
  budget: {hard: stay.hotel.rate * nights <= budget}
  free: {hard: not stay.hotel.full}
reference: {stay: {hotel: inn}}
environment:
  shows: {givens: [nights]}
  tools:
    hotels:
      doc: All hotels.
      returns: {hotels: {each: h in Hotel, as: h.name}}
    hotel:
      doc: One hotel.
      params: {hotel: Hotel}
      returns: {name: arg.hotel, rate: amount(arg.hotel.rate), full: arg.hotel.full}
    cheap:
      doc: Whether a hotel is cheap.
      params: {hotel: Hotel, below: money}
      returns: {cheap: arg.hotel.rate < arg.below}
"""
NAMES = {"inn": "Harbour Inn", "ark": "The Ark", "den": "The Den"}


def needed_facts(
    text: str, hotel: str | None, calls: Sequence[tuple[str, dict[str, str]]], *, right: bool = False
) -> dict[str, PerceivedFact]:
    """Return the needed facts of an attempt that makes these calls and chooses a hotel, keyed like `Hotel[inn].rate`."""
    task = task_from_text(text, "trip.task.yaml")
    tool_calls = [ToolCall(place, tool, arguments) for place, (tool, arguments) in enumerate(calls)]
    return needed_facts_of_turns([seen_turn(task, tool_calls)], hotel, right=right)


def seen_turn(task: Task, calls: Sequence[ToolCall] = ()) -> PerceivedTurn:
    """Return a turn with the calls that an agent made."""
    return PerceivedTurn(task, next(iter(TaskViews(task).settings().values())), calls)


def needed_facts_of_turns(
    turns: Sequence[PerceivedTurn], hotel: str | None, *, right: bool
) -> dict[str, PerceivedFact]:
    """Return the needed facts of an attempt at several turns, keyed by a text such as `Hotel[inn].rate`."""
    judge = Judge(turns[-1].task)
    answer = None if hotel is None else judge.read({"stay": {"hotel": hotel}})
    facts = perceive(turns, answer, None if right else judge.reference_plan())
    assert facts is not None
    assert facts.untried == 0
    return {fact.fact.place("EUR"): fact for fact in facts.facts}


def statuses(facts: dict[str, PerceivedFact]) -> dict[str, str]:
    """Return the status of each fact, keyed like `Hotel[inn].rate`."""
    return {name: fact.status for name, fact in facts.items()}


def hotel_call(name: str) -> tuple[str, dict[str, str]]:
    """Return a call that looks up a hotel."""
    return "hotel", {"hotel": NAMES[name]}


def test_a_right_answer_needs_only_its_own_facts() -> None:
    facts = needed_facts(TEXT, "inn", [("hotels", {}), hotel_call("inn")], right=True)
    assert statuses(facts) == {
        "budget": "seen",
        "nights": "seen",
        "Hotel[inn].rate": "seen",
        "Hotel[inn].full": "seen",
    }
    sighting = facts["Hotel[inn].rate"].sighting
    assert sighting is not None
    assert (sighting.by, sighting.place, sighting.name) == ("call", 1, "hotel")
    assert facts["Hotel[inn].rate"].rules == ("budget",)
    assert facts["Hotel[inn].rate"].value == "90.00 EUR"


def test_a_fact_that_was_not_looked_up_is_unseen_even_if_the_answer_is_right() -> None:
    facts = needed_facts(TEXT, "inn", [("hotels", {}), hotel_call("ark")], right=True)
    assert statuses(facts) == {
        "budget": "seen",
        "nights": "seen",
        "Hotel[inn].rate": "never-seen",
        "Hotel[inn].full": "never-seen",
    }
    assert facts["Hotel[inn].rate"].sighting is None


def test_a_fact_in_the_query_needs_no_call() -> None:
    facts = needed_facts(TEXT, "inn", [], right=True)
    for name in ("budget", "nights"):
        sighting = facts[name].sighting
        assert sighting is not None
        assert sighting.by == "query"


def test_a_fact_in_a_shown_text_counts_as_seen_there() -> None:
    facts = needed_facts(
        TEXT.replace("givens: [nights]", "givens: [nights], Hotel: all"),
        "inn",
        [hotel_call("inn")],
        right=True,
    )
    sighting = facts["Hotel[inn].rate"].sighting
    assert sighting is not None
    assert (sighting.by, sighting.name, sighting.place) == ("show", "Hotel", None)


def test_a_seen_fact_is_ignored_if_the_answer_breaks_a_rule_that_depends_on_it() -> None:
    facts = needed_facts(TEXT, "den", [hotel_call(name) for name in NAMES])
    assert statuses(facts) == {
        "budget": "ignored",
        "nights": "ignored",
        "Hotel[den].rate": "ignored",
        "Hotel[den].full": "seen",
        "Hotel[inn].rate": "seen",
        "Hotel[inn].full": "seen",
    }
    assert {name for name, fact in facts.items() if fact.needed_by == "reference"} == {
        "Hotel[inn].rate",
        "Hotel[inn].full",
    }


def test_a_fact_that_an_agent_never_saw_does_not_count_as_ignored() -> None:
    facts = needed_facts(TEXT, "den", [])
    assert statuses(facts)["Hotel[den].rate"] == "never-seen"


def test_without_an_answer_the_reference_determines_the_needed_facts() -> None:
    facts = needed_facts(TEXT, None, [hotel_call("inn")])
    assert statuses(facts)["Hotel[inn].rate"] == "seen"
    assert {fact.needed_by for fact in facts.values()} == {"reference"}


def test_a_fact_is_seen_if_no_value_still_possible_changes_the_verdict() -> None:
    """A call that shows only that the rate is below 500 euros is not enough, since the answer would be wrong at 101.

    Knowing that it is below 95 is enough.
    """
    wide, narrow = ({"hotel": "Harbour Inn", "below": f"{most} EUR"} for most in (500, 95))
    assert statuses(needed_facts(TEXT, "inn", [("cheap", wide)], right=True))["Hotel[inn].rate"] == "never-seen"
    facts = needed_facts(TEXT, "inn", [("cheap", wide), ("cheap", narrow)], right=True)
    sighting = facts["Hotel[inn].rate"].sighting
    assert sighting is not None
    assert sighting.place == 1


def test_a_refused_call_reveals_no_fact() -> None:
    facts = needed_facts(TEXT, "inn", [("hotel", {"hotel": "The Inn of Nowhere"}), ("hotel", {})], right=True)
    assert statuses(facts)["Hotel[inn].rate"] == "never-seen"


@pytest.mark.parametrize("looked_up", [set(some) for n in range(4) for some in combinations(NAMES, n)])
@pytest.mark.parametrize("chosen", NAMES)
def test_exactly_the_facts_that_were_looked_up_are_seen(chosen: str, looked_up: set[str]) -> None:
    facts = needed_facts(TEXT, chosen, [hotel_call(name) for name in sorted(looked_up)])
    rows = {name: fact for name, fact in facts.items() if name.startswith("Hotel[")}
    assert {f"Hotel[{chosen}].rate", f"Hotel[{chosen}].full"} <= rows.keys()
    for fact in rows.values():
        assert fact.fact.row is not None
        assert (fact.status != "never-seen") == (fact.fact.row._key[0] in looked_up)


def test_a_call_in_an_earlier_turn_counts_if_the_fact_was_the_same() -> None:
    first = task_from_text(TEXT, "trip.task.yaml")
    dearer = task_from_text(TEXT.replace("rate: 90 EUR", "rate: 95 EUR"), "trip.task.yaml")
    call = ToolCall(0, *hotel_call("inn"))
    again = needed_facts_of_turns([seen_turn(first, [call]), seen_turn(first)], "inn", right=True)
    assert statuses(again)["Hotel[inn].rate"] == "seen"
    sighting = again["Hotel[inn].full"].sighting
    assert sighting is not None
    assert (sighting.turn, sighting.place) == (0, 0)
    changed = needed_facts_of_turns([seen_turn(first, [call]), seen_turn(dearer)], "inn", right=True)
    assert statuses(changed)["Hotel[inn].rate"] == "never-seen"
    assert statuses(changed)["Hotel[inn].full"] == "seen"


def test_a_row_is_needed_if_a_rule_tests_its_existence() -> None:
    text = """\
planspec: task/1
id: seats
query: Choose a seat.
tables:
  Seat: {columns: {wide: bool = false}, rows: [{id: a}, {id: b}]}
  Taken: {columns: {seat: Seat}, rows: [{id: t1, seat: b}]}
plan: {choice: {one: true, seat: Seat}}
constraints:
  free: {hard: count(Taken) < 1 or choice.seat == a}
reference: {choice: {seat: a}}
environment:
  tools:
    taken: {doc: Taken seats., returns: {seats: {each: t in Taken, as: t.seat}}}
"""
    task = task_from_text(text, "seats.task.yaml")
    judge = Judge(task)
    for calls, status in (([], "never-seen"), ([ToolCall(0, "taken", {})], "ignored")):
        facts = perceive([seen_turn(task, calls)], judge.read({"choice": {"seat": "b"}}), judge.reference_plan())
        assert facts is not None
        assert {fact.fact.place(None): fact.status for fact in facts.facts} == {"Taken[t1]": status}


def test_facts_that_could_not_be_tried_in_time_are_counted() -> None:
    task = task_from_text(TEXT, "trip.task.yaml")
    plan = Judge(task).read({"stay": {"hotel": "inn"}})
    facts = perceive([seen_turn(task)], plan, None, out_of_time=lambda: True)
    assert facts is not None
    assert facts.facts == ()
    assert facts.untried == 4


def test_perception_is_unknown_without_answer_and_reference() -> None:
    assert perceive([seen_turn(task_from_text(TEXT, "trip.task.yaml"))], None, None) is None
