"""Tools of a model's roles, their record in a trace, and turns that keep valid days."""

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
from planspec.families.travelplanner.himap.wishes import Request
from planspec.traces.chat import chat_of, places_of
from tests.families.travelplanner.himap.test_chatting import Roles, Said
from tests.families.travelplanner.himap.test_pricing import BUNK, DAYS, MEALS, Opened, frugal
from tests.families.travelplanner.importing.test_dialogues import published
from tests.families.travelplanner.official.small_world import QUERIES

REQUEST: dict[str, Any] = {
    "origin": "Marrowby", "destination": "Brindle", "days": 3, "start_date": "2022-03-03", "visiting_city_number": 1,
    "people_number": 1, "budget": 350,
}  # fmt: skip
EXTRACT: Said = ("information_extractor", REQUEST)
Says = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], Said]


@pytest.fixture(scope="module")
def judge() -> planspec.Judge:
    return planspec.Judge(planspec.load("1"))


def day(task: Mapping[str, Any], tool: str = "finish", **texts: str) -> Said:
    origin = task["origin"]
    city = f"from {origin} to {task['city']}" if origin else task["city"]
    return tool, {"current_city": city, **frugal(task), **texts}


def finish(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Said:
    return day(task)


class Trip:
    """A trip of one or more turns, played at one desk."""

    def __init__(self, judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
        self.judge, self._monkeypatch = judge, monkeypatch
        self.judges: tuple[planspec.Judge, ...] = ()
        """Judges of the turns, if they differ."""
        self.desk = Desk(TaskView("t", None, "", "", "").tools, Limits(steps=200))
        self.answers: list[Any] = []
        self.days: list[int] = []
        self.seen: list[Mapping[str, Any]] = []

    def turn(
        self,
        split: Sequence[Mapping[str, Any]] = DAYS,
        request: Mapping[str, Any] | None = REQUEST,
        says: Says = finish,
        **options: Any,
    ) -> dict[str, Any]:
        def executor(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[Said]:
            if not results:
                self.days.append(task["day"])
            self.seen.extend(results[-1:])
            return [says(task, results)]

        def coordinator(message: Sequence[str]) -> Sequence[Said]:
            extracted = [] if request is None else [("information_extractor", request)]
            return [*extracted, ("distribute_task", {"days": split})]

        model = ModelAgent(Roles(executor, coordinator), retries=0)
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
def trip(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> Trip:
    return Trip(judge, monkeypatch)


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
def test_extraction_is_right_slot_by_slot(
    judge: planspec.Judge, changed: dict[str, Any], wrong: dict[str, Any]
) -> None:
    result = check_extraction(judge.task, Request(**{**REQUEST, **changed}))
    assert result.wrong == wrong and result.share == 1 - Fraction(len(wrong), 11)


def test_wishes_are_read_as_the_task_gives_them() -> None:
    five: dict[str, Any] = {
        "origin": "Brindle", "destination": "Ostmere", "days": 5, "start_date": "2022-03-05", "visiting_city_number": 2,
        "people_number": 5, "budget": 3000, "house_requirement": "children", "transportation_requirement": "no self-driving",
        "cuisine_requirement": ["french", "Indian", "Chinese", "American"],
    }  # fmt: skip
    assert check_extraction(planspec.load("9"), Request(**five)).share == 1
    assert "room_requirement" in check_extraction(planspec.load("5"), Request(**REQUEST)).wrong


def test_nothing_extracted_is_nothing_right(judge: planspec.Judge, trip: Trip) -> None:
    assert check_extraction(judge.task, None).share < 1
    note = trip.turn(request=None)
    assert len(note["extracted"]["wrong"]) > 5
    assert trip.turn()["extracted"] == {"share": "1", "wrong": {}}


def test_a_split_of_another_request_is_refused(trip: Trip) -> None:
    with pytest.raises(AttemptFailedError):  # the model repeats it
        trip.turn(DAYS[:2], REQUEST | {"budget": 50})
    output = [message.text or "" for message in trip.desk.messages if message.role == "tool"]
    assert any("is for 3 days, and the split has 2" in text for text in output)
    assert any("has to end in Marrowby" in text for text in output)


def test_without_hints_the_budget_is_spread_by_the_kinds_of_days(trip: Trip) -> None:
    note = trip.turn([{**day, "budget_hint": None} for day in DAYS])
    assert note["rounds"][0]["hints"] == ["111.36", "159.09", "79.54"]


def test_what_is_left_is_told_and_nothing_is_committed_by_asking(trip: Trip) -> None:
    def says(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Said:
        match len(results), task["day"]:
            case 0, _:
                return day(task, "cost_enquiry")
            case 1, 2:
                return day(task, "cost_enquiry", accommodation="Mill House (whole house), Brindle")
            case _:
                return day(task)

    note = trip.turn(says=says)
    first, second, dear, third = trip.seen
    assert first == {
        "cost": "81.00", "rides": "21.00", "meals": "0.00", "accommodation": "60.00", "remaining_budget": "269.00",
        "check": {"status": "accepted"},
    }  # fmt: skip
    assert second["remaining_budget"] == "202.00" and third["remaining_budget"] == "181.00"
    assert dear["check"]["status"] in {"accepted", "refused"}
    assert note["agreed"] and note["refusals"] == {} and note["calls"]["cost_enquiry"] == 4


def test_a_conflict_is_told_by_cost_enquiry_before_it_is_refused(trip: Trip) -> None:
    def says(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Said:
        if task["day"] == 2 and not results:
            return day(task, "cost_enquiry")
        if task["day"] == 2:
            return day(task, dinner="-")
        return day(task, dinner=MEALS["dinner"]) if task["day"] == 1 else day(task)

    note = trip.turn(says=says)
    assert trip.seen[0]["check"]["code"] == "DUPLICATE_VENUE"
    assert note["agreed"] and note["refusals"] == {}


def test_prompts_are_those_of_the_kind_of_day(trip: Trip) -> None:
    trip.turn()
    systems = [message.text or "" for message in trip.desk.messages if message.role == "system"]
    assert [text.split(":")[0] for text in systems[1:]] == [
        "You are the planner of the day of departure",
        "You are the planner of a full day in one city",
        "You are the planner of the day of return",
    ]


def test_what_bears_on_a_day_of_the_request_is_passed_on(trip: Trip) -> None:
    trip.turn(request=REQUEST | {"room_requirement": "private room", "cuisine_requirement": ["Thai"]})
    message = [
        json.loads(m.text or "")["task"] for m in trip.desk.messages if (m.text or "").startswith('{"task"')
    ]
    assert [task["request"] for task in message] == [
        {"people": 1, "room": "private room", "cuisines": ["Thai"]},
        {"people": 1, "cuisines": ["Thai"]},
        {"people": 1, "cuisines": ["Thai"]},
    ]


def test_a_trace_has_every_call_of_every_role_with_its_result_and_tokens(trip: Trip) -> None:
    trip.turn(says=lambda task, results: day(task, "finish" if results else "cost_enquiry"))
    trace = trip.desk.trace("1", "himap", None, None)
    assert [call.name for call in trace.calls] == [
        "information_extractor", "distribute_task", *["cost_enquiry", "finish"] * 3,
    ]  # fmt: skip
    assert all(call.result is not None and call.own for call in trace.calls)
    assert {(one.role, trace.stages[one.stage or 0].id, one.input, one.output) for one in trace.generations} == {
        ("coordinator", None, 10, 5), *(("executor", f"day {n}", 10, 5) for n in (1, 2, 3)),
    }  # fmt: skip
    last = chat_of(trace, places_of(trace.generations[-1].context))
    assert [message["role"] for message in last] == ["system", "user", "assistant", "tool"]
    assert last[2]["tool_calls"][0]["id"] == last[3]["tool_call_id"]
    (reply,) = [message for message in trace.messages if message.generation == len(trace.generations) - 1]
    assert trace.calls[reply.calls[0]].name == "finish"


def test_calls_of_roles_are_not_counted_as_calls_of_the_tasks_tools(
    judge: planspec.Judge, trip: Trip
) -> None:
    trip.desk = Desk(trip.desk.tools, Limits(tool_calls=1, steps=200))
    assert trip.turn()["agreed"] and trip.desk.calls_left == 1


def test_days_that_still_hold_are_not_planned_anew(trip: Trip) -> None:
    trip.turn()
    assert trip.days == [1, 2, 3]
    note = trip.turn(request=REQUEST | {"budget": 400})
    assert trip.days == [] and trip.answers[0] == trip.answers[1]
    assert [one["kept"] for one in note["rounds"][0]["days"]] == [True] * 3
    assert note["calls"] == {"model": 1}


def test_a_wish_for_rooms_moves_only_the_day_that_books_one(trip: Trip) -> None:
    trip.turn()
    trip.turn(request=REQUEST | {"room_requirement": "entire room"})
    assert trip.days == [1]


def test_a_day_that_no_longer_fits_is_planned_anew_with_what_it_was(trip: Trip) -> None:
    """With 120 USD the first two days leave nothing for the ride home."""
    trip.turn()
    low = [{**day, "budget_hint": hint} for day, hint in zip(DAYS, (90, 20, 10), strict=True)]
    trip.turn(low, REQUEST | {"budget": 120}, lambda task, results: day(task, **dict.fromkeys(MEALS, "-")))
    assert trip.days == [2, 3]
    message = [json.loads(m.text or "") for m in trip.desk.messages if (m.text or "").startswith('{"task"')]
    assert message[-2]["planned_before"]["dinner"] == MEALS["dinner"]
    assert trip.answers[1][0]["accommodation"] == BUNK and trip.answers[1][1]["dinner"] == "-"


def test_days_that_hold_are_kept_over_the_turns_of_a_published_dialogue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = QUERIES[1] | {"new_constraints": [{"room type": "entire room"}]}
    result = published(tmp_path, record)
    path = result.folder / "tasks" / "1-published-room-type.yaml"
    judges = tuple(planspec.Judge(planspec.load(name)) for name in (f"{path}@1", f"{path}@2"))
    trip = Trip(judges[-1], monkeypatch)
    trip.judges = judges
    assert trip.turn()["extracted"]["wrong"] == {}
    assert trip.days == [1, 2, 3]
    note = trip.turn(request=REQUEST | {"room_requirement": "entire room"})
    assert note["extracted"]["wrong"] == {} and trip.days == [1]
    assert trip.answers[0][1:] == trip.answers[1][1:]
    assert [one["kept"] for one in note["rounds"][0]["days"]] == [False, True, True]
