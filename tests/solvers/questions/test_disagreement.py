"""The search finds a plan that only one version of a task accepts, or proves that no such plan is in scope."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.equivalence import are_equivalent
from planspec.errors import InternalError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.questions import disagreement as questions
from planspec.solvers.questions.disagreement import disagreement
from planspec.verifiers.meaning.ground import Ground, ground

TRIP = """\
planspec: task/1
id: trip
query: The museum, then the park.
currency: EUR
types: {Pace: slow | quick}
tables:
  Stop:
    columns: {fee: money}
    rows:
      - {id: museum, fee: 8.00 EUR}
      - {id: park, fee: 0.00 EUR}
given: {budget: 8.00 EUR}
plan: {visits: {stop: key Stop, start: time, end: time, pace: Pace}}
scope:
  visits:
    - {for: s in Stop, stop: s, start: 14:00..15:30 step 30min, end: 14:30..16:00 step 30min, pace: Pace}
constraints:
  length: {hard: all(v.end - v.start == 30min for v in visits)}
  order:
    hard: visits[museum].end <= visits[park].start
  purse: {hard: sum(v.stop.fee for v in visits) <= budget}
  early:
    soft: visits[park].end <= 15:00
"""
Edits = tuple[tuple[str, str], ...]
EQUAL_STATEMENTS: dict[str, Edits] = {
    "names": (
        ("  order:", "  sequence:"),
        ("30min for v in", "30min for w in"),
        ("all(v.end - v.start", "all(w.end - w.start"),
    ),
    "soft constraints": (("15:00", "14:30"),),
    "the query": (("The museum, then", "First the museum, then"),),
}
SAME: dict[str, tuple[Edits, str]] = {
    "another way to say it": (
        (("visits[museum].end <= visits[park].start", "not (visits[park].start < visits[museum].end)"),),
        "both",
    ),
    "a condition that follows": ((("  early:", "  late:\n    hard: visits[park].end >= 15:00\n  early:"),), "both"),
    "a fee within the budget": ((("8.00 EUR}\n      - {id: park", "7.00 EUR}\n      - {id: park"),), "both"),
    "facts in another order": (
        (
            ("      - {id: museum, fee: 8.00 EUR}\n", ""),
            ("fee: 0.00 EUR}", "fee: 0.00 EUR}\n      - {id: museum, fee: 8.00 EUR}"),
        ),
        "each",
    ),
    "a scope with the same accepted plans": (
        (("14:00..15:30", "13:30..15:30"), ("<= visits[park].start", "- visits[park].start <= 0min")),
        "each",
    ),
    "a closed scope": ((("constraints:", "closed: true\nconstraints:"),), "both"),
}
DIFFERENT: dict[str, tuple[Edits, str, str]] = {
    "a fee": ((("8.00 EUR}\n      - {id: park", "9.00 EUR}\n      - {id: park"),), "first", "first"),
    "a given": ((("budget: 8.00 EUR", "budget: 7.00 EUR"),), "first", "first"),
    "a stricter condition": ((("visits[museum].end <=", "visits[museum].end + 30min <="),), "first", "first"),
    "one condition less": (
        (("  order:\n    hard: visits[museum].end <= visits[park].start\n", ""),),
        "second",
        "first",
    ),
    "a member that the other lacks": ((("slow | quick", "slow"),), "first", "first"),
    "a row that the other lacks": (
        (("      - {id: park", "      - {id: zoo, fee: 0.00 EUR}\n      - {id: park"),),
        "second",
        "second",
    ),
    "a wider scope": (
        (
            ("15:30 step 30min, end: 14:30..16:00", "16:00 step 30min, end: 14:30..16:30"),
            ("      - {id: museum, fee: 8.00", "      - {id: museum, fee: 7.00"),
            ("constraints:", "closed: true\nconstraints:"),
            ("    hard:", "    hard: visits[park].start != 15:30 and"),
        ),
        "first",
        "first",
    ),
    "a closed scope of fewer rows": (
        (
            ("for: s in Stop,", "for: s in Stop if s == museum,"),
            ("constraints:", "closed: true\nconstraints:"),
            ("visits[museum].end <= visits[park].start", "true"),
        ),
        "first",
        "first",
    ),
}


def trip_version(edits: Edits = ()) -> Ground:
    """Return the trip's ground task after some edits."""
    text = TRIP
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return ground(task_from_text(text, "trip.task.yaml"))


@pytest.mark.parametrize("edits", EQUAL_STATEMENTS.values(), ids=EQUAL_STATEMENTS)
def test_versions_with_the_same_hard_constraints_are_equal_without_a_search(edits: Edits) -> None:
    assert are_equivalent(trip_version().task, trip_version(edits).task)


@pytest.mark.parametrize(("edits", "scope"), SAME.values(), ids=SAME)
def test_both_back_ends_prove_that_no_plan_in_scope_distinguishes_the_versions(edits: Edits, scope: str) -> None:
    first, second = trip_version(), trip_version(edits)
    assert not are_equivalent(first.task, second.task)
    for one, other in ((first, second), (second, first)):
        result = disagreement(one, other)
        assert (result.status, result.scope, result.contested) == ("same", scope, None)
        assert {name: claim.status for name, claim in result.backends.items()} == {
            "cpsat": "same",
            "smt": "same",
        }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("edits", "accepted_by", "scope"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_plan_that_one_version_accepts_and_the_other_refuses_is_found(
    edits: Edits, accepted_by: str, scope: str, backend: str
) -> None:
    first, second = trip_version(), trip_version(edits)
    assert not are_equivalent(first.task, second.task)
    result = disagreement(first, second, backends=(backend,))
    assert result.status == "different"
    assert result.contested is not None
    assert (result.contested.accepted_by, result.contested.scope) == (accepted_by, scope)
    swapped = disagreement(second, first, backends=(backend,))
    assert swapped.status == "different"


def test_versions_with_a_closed_scope_and_open_keys_are_not_decided() -> None:
    edits = (("for: s in Stop, stop: s", "stop: Stop"), ("constraints:", "closed: true\nconstraints:"))
    result = disagreement(trip_version(), trip_version(edits))
    assert (result.status, result.scope) == ("unknown", "each")
    assert result.reason == "the closed scope leaves `visits.stop` open"


def test_a_version_without_an_encoding_is_not_decided_and_the_reason_given() -> None:
    huge = "  huge: \n    hard: (visits[park].start - 00:00) * 9007199254740991 > 0min\n  early:"
    result = disagreement(trip_version(), trip_version((("  early:", huge),)))
    assert (result.status, result.backends) == ("unknown", {})
    assert result.reason is not None
    assert "PS503" in result.reason


def test_a_search_that_reaches_its_limit_is_unknown() -> None:
    result = disagreement(trip_version(), trip_version(SAME["another way to say it"][0]), limits=Limits(seconds=1e-9))
    assert result.status == "unknown"
    assert {claim.reason for claim in result.backends.values()} == {"time"}


def test_a_distinguishing_plan_that_both_versions_accept_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_rejection_reason", lambda *_: None)
    with pytest.raises(InternalError, match="accepted"):
        disagreement(trip_version(), trip_version(DIFFERENT["a fee"][0]))
