"""Tools of a model's roles, the record of their calls in a trace, and days kept between turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import Desk, Limits, TaskView
from planspec.agents.failures import AttemptFailedError
from planspec.agents.models import ModelAgent
from planspec.families.travelplanner.himap import HiMAP, chatting
from planspec.families.travelplanner.himap.extraction import check_extraction
from planspec.families.travelplanner.himap.role_tools import Request
from planspec.traces.chat import chat_of, places_of
from tests.families.travelplanner.himap.test_chatting import ScriptedCall, ScriptedChat
from tests.families.travelplanner.himap.test_pricing import BUNK, DAYS, MEALS, Opened, cheap_day
from tests.families.travelplanner.importing.test_dialogues import import_dialogues
from tests.families.travelplanner.official.small_world import QUERIES

REQUEST: dict[str, Any] = {
    "origin": "Marrowby",
    "destination": "Brindle",
    "days": 3,
    "start_date": "2022-03-03",
    "visiting_city_number": 1,
    "people_number": 1,
    "budget": 350,
}
EXTRACT: ScriptedCall = ("information_extractor", REQUEST)
Says = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], ScriptedCall]


def day_call(task: Mapping[str, Any], tool: str = "finish", **texts: str) -> ScriptedCall:
    """Return a scripted model's call of a tool, by default `finish`, with a cheap plan of its day."""
    origin = task["origin"]
    city = f"from {origin} to {task['city']}" if origin else task["city"]
    return tool, {"current_city": city, **cheap_day(task), **texts}


def finish_call(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> ScriptedCall:
    """Return the call with which a scripted model ends its day."""
    return day_call(task)


class ScriptedTrip:
    """A trip planned by scripted models in one or more turns, with one desk, which records all calls."""

    def __init__(self, judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
        self.judge, self._monkeypatch = judge, monkeypatch
        self.judges: tuple[planspec.Judge, ...] = ()
        """Judge of each turn, if they differ."""
        self.desk = Desk(TaskView("t", None, "", "", "").tools, Limits(steps=200))
        self.answers: list[Any] = []
        self.days: list[int] = []
        self.seen: list[Mapping[str, Any]] = []

    def play_turn(
        self,
        split: Sequence[Mapping[str, Any]] = DAYS,
        request: Mapping[str, Any] | None = REQUEST,
        respond: Says = finish_call,
        **options: Any,
    ) -> dict[str, Any]:
        """Run a turn of the trip, and return the agent's note on it."""

        def executor(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
            if not results:
                self.days.append(task["day"])
            self.seen.extend(results[-1:])
            return [respond(task, results)]

        def coordinator(message: Sequence[str]) -> Sequence[ScriptedCall]:
            extracted = [] if request is None else [("information_extractor", request)]
            return [*extracted, ("distribute_task", {"days": split})]

        model = ModelAgent(ScriptedChat(executor, coordinator), retries=0)
        self._monkeypatch.setattr(chatting, "model_of", lambda spec: model)
        number = len(self.answers)
        view = TaskView(self.judge.task.id, "travelplanner", "text", self.judge.task.query, "", turn=number)
        agent = HiMAP(policy="model", of="played", workers=1, **options)
        judges = self.judges[: number + 1] or (self.judge,) * (number + 1)
        agent.privilege(Opened(self.judge.task.id, judges))
        self.days.clear()
        self.answers.append(agent.answer(view, self.desk))
        note: dict[str, Any] = self.desk.notes["himap"][-1]
        return note


@pytest.fixture
def trip(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> ScriptedTrip:
    return ScriptedTrip(judge, monkeypatch)


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, {}),
        ({"origin": "MARROWBY"}, {}),
        ({"budget": 300, "people_number": 2}, {"budget": ("300.00", "350.00"), "people_number": (2, 1)}),
        ({"cuisine_requirement": ["Thai"]}, {"cuisine_requirement": (["Thai"], [])}),
        ({"room_requirement": "private room"}, {"room_requirement": ("private room", "-")}),
    ],
)
def test_the_extraction_is_checked_slot_by_slot(
    judge: planspec.Judge, changed: dict[str, Any], wrong: dict[str, Any]
) -> None:
    result = check_extraction(judge.task, Request(**{**REQUEST, **changed}))
    assert result.wrong == wrong and result.share == 1 - Fraction(len(wrong), 11)


def test_wishes_are_compared_with_the_givens_of_the_task() -> None:
    five: dict[str, Any] = {
        "origin": "Brindle",
        "destination": "Ostmere",
        "days": 5,
        "start_date": "2022-03-05",
        "visiting_city_number": 2,
        "people_number": 5,
        "budget": 3000,
        "house_requirement": "children",
        "transportation_requirement": "no self-driving",
        "cuisine_requirement": ["french", "Indian", "Chinese", "American"],
    }
    assert check_extraction(planspec.load("9"), Request(**five)).share == 1
    assert "room_requirement" in check_extraction(planspec.load("5"), Request(**REQUEST)).wrong


def test_parts_of_a_request_that_was_not_extracted_are_wrong(judge: planspec.Judge, trip: ScriptedTrip) -> None:
    assert check_extraction(judge.task, None).share < 1
    note = trip.play_turn(request=None)
    assert len(note["extracted"]["wrong"]) > 5
    assert trip.play_turn()["extracted"] == {"share": "1", "wrong": {}}


def test_a_split_that_contradicts_the_request_is_refused(trip: ScriptedTrip) -> None:
    with pytest.raises(AttemptFailedError):  # the scripted model repeats the refused split until the attempt fails
        trip.play_turn(DAYS[:2], REQUEST | {"budget": 50})
    output = [message.text or "" for message in trip.desk.messages if message.role == "tool"]
    assert any("is for 3 days, and the split has 2" in text for text in output)
    assert any("has to end in Marrowby" in text for text in output)


def test_without_hints_the_budget_is_divided_by_the_roles_of_the_days(trip: ScriptedTrip) -> None:
    note = trip.play_turn([{**day, "budget_hint": None} for day in DAYS])
    assert note["rounds"][0]["hints"] == ["111.36", "159.09", "79.54"]


def test_cost_enquiry_reports_the_remaining_budget_and_commits_nothing(trip: ScriptedTrip) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> ScriptedCall:
        match len(results), task["day"]:
            case 0, _:
                return day_call(task, "cost_enquiry")
            case 1, 2:
                return day_call(task, "cost_enquiry", accommodation="Mill House (whole house), Brindle")
            case _:
                return day_call(task)

    note = trip.play_turn(respond=respond)
    first, second, dear, third = trip.seen
    assert first == {
        "cost": "81.00",
        "rides": "21.00",
        "meals": "0.00",
        "accommodation": "60.00",
        "remaining_budget": "269.00",
        "check": {"status": "accepted"},
    }
    assert second["remaining_budget"] == "202.00" and third["remaining_budget"] == "181.00"
    assert dear["check"]["status"] in {"accepted", "refused"}
    assert note["agreed"] and note["refusals"] == {} and note["calls"]["cost_enquiry"] == 4


def test_cost_enquiry_reports_a_conflict_before_it_is_refused(trip: ScriptedTrip) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> ScriptedCall:
        if task["day"] == 2 and not results:
            return day_call(task, "cost_enquiry")
        if task["day"] == 2:
            return day_call(task, dinner="-")
        return day_call(task, dinner=MEALS["dinner"]) if task["day"] == 1 else day_call(task)

    note = trip.play_turn(respond=respond)
    assert trip.seen[0]["check"]["code"] == "DUPLICATE_VENUE"
    assert note["agreed"] and note["refusals"] == {}


def test_prompts_depend_on_the_role_of_the_day(trip: ScriptedTrip) -> None:
    trip.play_turn()
    systems = [message.text or "" for message in trip.desk.messages if message.role == "system"]
    assert [text.split(":")[0] for text in systems[1:]] == [
        "You are the planner of the day of departure",
        "You are the planner of a full day in one city",
        "You are the planner of the day of return",
    ]


def test_each_day_gets_the_parts_of_the_request_that_concern_it(trip: ScriptedTrip) -> None:
    trip.play_turn(request=REQUEST | {"room_requirement": "private room", "cuisine_requirement": ["Thai"]})
    message = [json.loads(m.text or "")["task"] for m in trip.desk.messages if (m.text or "").startswith('{"task"')]
    assert [task["request"] for task in message] == [
        {"people": 1, "room": "private room", "cuisines": ["Thai"]},
        {"people": 1, "cuisines": ["Thai"]},
        {"people": 1, "cuisines": ["Thai"]},
    ]


def test_a_trace_has_every_call_of_every_role_with_its_result_and_tokens(trip: ScriptedTrip) -> None:
    trip.play_turn(respond=lambda task, results: day_call(task, "finish" if results else "cost_enquiry"))
    trace = trip.desk.trace("1", "himap", None, None)
    assert [call.name for call in trace.calls] == [
        "information_extractor",
        "distribute_task",
        *["cost_enquiry", "finish"] * 3,
    ]
    assert all(call.result is not None and call.own for call in trace.calls)
    assert {(one.role, trace.stages[one.stage or 0].id, one.input, one.output) for one in trace.generations} == {
        ("coordinator", None, 10, 5),
        *(("executor", f"day {n}", 10, 5) for n in (1, 2, 3)),
    }
    last = chat_of(trace, places_of(trace.generations[-1].context))
    assert [message["role"] for message in last] == ["system", "user", "assistant", "tool"]
    assert last[2]["tool_calls"][0]["id"] == last[3]["tool_call_id"]
    (reply,) = [message for message in trace.messages if message.generation == len(trace.generations) - 1]
    assert trace.calls[reply.calls[0]].name == "finish"


def test_calls_of_roles_are_not_counted_as_calls_of_the_tasks_tools(judge: planspec.Judge, trip: ScriptedTrip) -> None:
    trip.desk = Desk(trip.desk.tools, Limits(tool_calls=1, steps=200))
    assert trip.play_turn()["agreed"] and trip.desk.calls_left == 1


def test_days_that_remain_valid_are_not_planned_again(trip: ScriptedTrip) -> None:
    trip.play_turn()
    assert trip.days == [1, 2, 3]
    note = trip.play_turn(request=REQUEST | {"budget": 400})
    assert trip.days == [] and trip.answers[0] == trip.answers[1]
    assert [one["kept"] for one in note["rounds"][0]["days"]] == [True] * 3
    assert note["calls"] == {"model": 1}


def test_a_new_wish_for_rooms_affects_only_the_day_that_books_one(trip: ScriptedTrip) -> None:
    trip.play_turn()
    trip.play_turn(request=REQUEST | {"room_requirement": "entire room"})
    assert trip.days == [1]


def test_a_day_that_is_planned_again_gets_its_previous_plan(trip: ScriptedTrip) -> None:
    """Days 1 and 2 cost so much of the 120 USD that nothing is left for the ride home.

    Day 1 is kept; the others are planned again.
    """
    trip.play_turn()
    low = [{**day, "budget_hint": hint} for day, hint in zip(DAYS, (90, 20, 10), strict=True)]
    trip.play_turn(low, REQUEST | {"budget": 120}, lambda task, results: day_call(task, **dict.fromkeys(MEALS, "-")))
    assert trip.days == [2, 3]
    message = [json.loads(m.text or "") for m in trip.desk.messages if (m.text or "").startswith('{"task"')]
    assert message[-2]["planned_before"]["dinner"] == MEALS["dinner"]
    assert trip.answers[1][0]["accommodation"] == BUNK and trip.answers[1][1]["dinner"] == "-"


def test_valid_days_are_kept_between_the_turns_of_a_published_dialogue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = QUERIES[1] | {"new_constraints": [{"room type": "entire room"}]}
    result = import_dialogues(tmp_path, record)
    path = result.folder / "tasks" / "1-published-room-type.yaml"
    judges = tuple(planspec.Judge(planspec.load(name)) for name in (f"{path}@1", f"{path}@2"))
    trip = ScriptedTrip(judges[-1], monkeypatch)
    trip.judges = judges
    assert trip.play_turn()["extracted"]["wrong"] == {}
    assert trip.days == [1, 2, 3]
    note = trip.play_turn(request=REQUEST | {"room_requirement": "entire room"})
    assert note["extracted"]["wrong"] == {} and trip.days == [1]
    assert trip.answers[0][1:] == trip.answers[1][1:]
    assert [one["kept"] for one in note["rounds"][0]["days"]] == [False, True, True]
