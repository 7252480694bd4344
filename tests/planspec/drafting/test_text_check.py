"""Comparison of a task's query with its rules: a model formalises the query, and proofs compare the two."""

from __future__ import annotations

from pathlib import Path

import pytest

import planspec
from planspec import drafting
from planspec.drafting.bases import base_of_task
from planspec.drafting.prompts import Prompts
from planspec.drafting.vocabulary import vocabulary
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import UnsuitableTaskError
from tests.planspec.drafting.errand import QUERY, RIGHT, SPOILINGS
from tests.planspec.drafting.faulty import FaultyModel
from tests.planspec.drafting.sessions import SESSIONS, Session, copy_documents

pytestmark = pytest.mark.slow

BY_KIND = {each.kind: each for each in SPOILINGS}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a new working directory with the documents that sessions use."""
    monkeypatch.chdir(tmp_path)
    copy_documents(tmp_path)


def _task(document: str) -> planspec.Task:
    """Return the task of a document."""
    return planspec.loads(f'planspec: task/1\nid: errand\nquery: "{QUERY}"\n{document}')


def test_a_query_that_states_the_rules_agrees() -> None:
    result = drafting.check_text(_task(RIGHT), model=FaultyModel(QUERY, RIGHT))
    assert (result.status, result.exit_code, result.disagreements) == ("agreed", 0, [])


@pytest.mark.parametrize(
    ("kind", "rules", "rule"),
    [
        ("< for <=", "too-strict", "purse"),
        ("a dropped rule", "too-loose", "order"),
        ("an over-strict rule", "too-strict", "early"),
        ("soft for hard", "too-loose", "one-guide"),
        ("a wrong value", "too-loose", "purse"),
    ],
)
def test_rules_that_differ_from_the_query_are_named_with_a_plan(kind: str, rules: str, rule: str) -> None:
    task = _task(BY_KIND[kind](RIGHT))
    result = drafting.check_text(task, model=FaultyModel(QUERY, RIGHT))
    assert (result.status, result.exit_code) == ("disagreed", 1)
    (found,) = result.disagreements
    assert found.rules == rules
    assert any(each.startswith(rule) for each in found.rule)
    accepts = planspec.verify(task, found.plan).status == "pass"
    assert accepts is (rules == "too-loose")


def test_a_mistake_of_the_model_s_own_formalisation_is_corrected_first() -> None:
    model = FaultyModel(QUERY, RIGHT, BY_KIND["< for <="])
    result = drafting.check_text(_task(RIGHT), model=model)
    assert result.status == "agreed"
    assert "compare" in {each.step for each in result.found}


def test_the_model_gets_no_rule_and_no_value_of_the_task() -> None:
    base = base_of_task(_task(RIGHT))
    prompt = Prompts(base, vocabulary(base, Workspace())).draft()
    assert "Site" in prompt
    assert "budget: money" in prompt
    request = prompt.partition("# Given tables")[2]
    assert "purse" not in request
    assert "32 EUR" not in request
    assert "price(v)" not in request


def test_values_of_a_library_are_compared() -> None:
    session = next(each for each in SESSIONS if each.name == "errands-1")
    task = session.load(session.right.replace("25 EUR", "24 EUR"))
    result = drafting.check_text(task, model=session_model(session))
    assert result.status == "agreed"  # both cost 21 euros at most, so no plan distinguishes them
    result = drafting.check_text(session.load(session.right.replace("25 EUR", "20 EUR")), model=session_model(session))
    assert (result.status, result.disagreements[0].rules) == ("disagreed", "too-strict")


def session_model(session: Session) -> FaultyModel:
    """Return a model for a session. It makes no mistake."""
    return FaultyModel(session.query, session.right, load=session.load)


def test_a_task_with_turns_or_without_a_query_is_refused() -> None:
    turns = planspec.loads(
        "planspec: task/1\nid: t\nplan: {a: {x: int}}\nscope: {a: [{x: 1..2}]}\nturns:\n  - query: One.\n  - query: Two.\n"
    )
    with pytest.raises(UnsuitableTaskError, match="has turns"):
        drafting.check_text(turns, model="empty")


def test_a_check_of_a_text_ends_when_the_budget_of_model_calls_is_spent() -> None:
    result = drafting.check_text(_task(RIGHT), model="constant:text=none", budget=2)
    assert (result.status, result.exit_code, result.calls.made) == ("budget", 3, 2)
