"""Settings declared by tasks: views by turn, limits on calls, and data that agents never get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.agents.desk import Desk
from planspec.agents.view import Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.environments import AgentTask, UnknownSettingError, open_task
from planspec.environments.agent_task import ExtendedSetting
from planspec.environments.opened import settings_of
from planspec.family.descriptor import Family
from planspec.runs.attempting import AttemptSpec, attempt


class PurseAgent:
    """An agent that answers with the amount of money in the purse, and records its views and results."""

    def __init__(self, calls: int = 1) -> None:
        self._calls = calls
        self.seen: list[tuple[TaskView, list[Any]]] = []

    def answer(self, view: TaskView, desk: Desk) -> str:
        results = [desk.call("purse", {}) for _ in range(self._calls)]
        self.seen.append((view, results))
        return json.dumps({"answer": {"n": results[0]["amount"]}})


def test_each_turn_has_its_own_givens_and_materials(talk: Path) -> None:
    """In the first turn, neither the view nor a tool reveals facts of the second turn."""
    agent = PurseAgent()
    record = attempt(AttemptSpec("talk", 0, 0), agent, "purse", open_task(talk), Limits())
    assert record.verdict["status"] == "pass"
    (first, results), (second, later) = agent.seen
    assert (results, later) == ([{"amount": 30}], [{"amount": 20}])
    assert dict(first.materials) == {"least": '{\n "least": 3\n}'}
    assert dict(second.materials) == {"least": '{\n "least": 3\n}', "spent": "There are 20 left."}
    assert dict(open_task(talk).new_materials(1)) == {"spent": "There are 20 left."}


def test_calls_beyond_the_limit_of_the_setting_are_refused_and_the_attempt_continues(talk: Path) -> None:
    agent = PurseAgent(calls=2)
    record = attempt(AttemptSpec("talk", 0, 0), agent, "purse", open_task(talk), Limits())
    assert [list(result) for _, results in agent.seen for result in results] == [
        ["amount"],
        ["amount"],
        ["error"],
        ["error"],
    ]
    assert agent.seen[1][1][0]["error"]["code"] == "no-calls-left"
    assert record.failure is not None  # its answer, the JSON of an error, is not readable
    assert [call.result.error for call in record.trace.calls if call.result is not None] == [
        None,
        None,
        "other",
        "other",
    ]


def test_the_brief_of_a_setting_contains_the_answer_format(talk: Path) -> None:
    ask, results = open_task(talk), open_task(talk, "told")
    assert (ask.setting, ask.calls, results.calls) == ("ask", 2, None)
    assert ask.brief.startswith("Ask for the purse.\n\nAnswer with one JSON object")
    assert [tool.name for tool in ask.tools] == ["purse"]
    assert list(results.tools) == []
    assert ask.schema is not None and ask.schema["required"] == ["answer"]


def test_an_unknown_setting_is_reported_with_the_available_ones(talk: Path) -> None:
    with pytest.raises(
        UnknownSettingError, match="`talk` has no setting `tolt`: there is ask, told; did you mean `told`"
    ):
        open_task(talk, "tolt")


def test_a_family_s_setting_hides_the_declared_one_of_its_name_only_if_it_extends_it(
    talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def own(name: str, judges: tuple[Judge, ...], _: Path | None) -> AgentTask:
        return AgentTask(name, judges, "own", brief="From the family.")

    settings = {"first": own, "ask": ExtendedSetting(own), "told": own, "undeclared": ExtendedSetting(own)}
    family = Family(name="talks", parts={"settings": settings})
    monkeypatch.setattr("planspec.environments.opened.family_of", lambda _: family)
    assert list(settings_of(load(str(talk)))) == ["told", "first", "ask"]
    assert open_task(talk, "ask").brief == "From the family."
    assert open_task(talk, "told").setting == "told"


def test_a_view_contains_no_constraint_scope_or_reference(talk: Path) -> None:
    view = open_task(talk).view(0, [], Limits(), 0)
    whole = json.dumps([view.query, view.brief, dict(view.materials), view.schema, dict(view.given)])
    assert "over" not in whole
    assert "0..40" not in whole
    assert "third" not in whole, "the later turn is not known"
