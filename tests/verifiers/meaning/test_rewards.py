"""The dense reward follows from a verdict and a floor, which is computed from answers that know nothing of the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planspec
from planspec.verifiers.meaning.objectives import ObjectiveValue
from planspec.verifiers.meaning.rewards import Floor, dense_reward
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict, undelivered

INSTANCES = ("budget", "window[a]", "window[b]", "mode")
"""Hard instances. The instances of the first two rules can fail by an amount."""
UNITS = {"budget": "1/100 EUR", "window": "min"}
Faults = Mapping[str, int | None]
"""Violated instances, each with the amount by which it is violated; None if it has no amount."""


def finding(name: str, faults: Faults) -> Finding:
    """Return the finding on a hard instance, which is violated if it is among the faults."""
    amount = faults.get(name)
    return Finding(
        constraint=name,
        level="hard",
        status="violated" if name in faults else "satisfied",
        message="",
        margin=None if amount is None else -amount,
        unit=None if amount is None else UNITS[name.partition("[")[0]],
    )


def verdict_of(faults: Faults, shape: int = 0, soft: tuple[int, int] = (0, 0)) -> Verdict:
    """Return the verdict on a plan with violated instances and some faults of shape."""
    unread = Finding(constraint="answer", level="shape", kind="missing", status="violated", message="")
    return Verdict(
        task="t",
        profile="strict",
        status="fail" if faults or shape else "pass",
        hard=Tally(satisfied=len(INSTANCES) - len(faults), total=len(INSTANCES)),
        soft=Tally(satisfied=soft[0], total=soft[1]),
        metrics={},
        in_scope=True,
        findings=(*[unread] * shape, *[finding(name, faults) for name in INSTANCES]),
    )


def reward_of(faults: Faults, floor: Floor, shape: int = 0) -> Fraction:
    """Return the dense reward of a failing plan."""
    return dense_reward(verdict_of(faults, shape), floor)


# -- one floor, by hand -------------------------------------------------------------------------------------

FLOOR = Floor.of([verdict_of({"budget": 3000, "mode": None}), verdict_of({"mode": None}), verdict_of({}, shape=2)])
"""Floor of three answers, computed by hand.

The first two answers are readable. They get 1/4 and all of `budget`; both get all of `window` and nothing of `mode`.
The weights of `budget`, `window` and `mode` are 1.2 - 5/8 = 0.575, 0.2 and 1.2; their sum is 1.975. The answers get
0.775 - 0.575 * 3/4, 0.775 and 1.975 / 2 of this weight. The third answer satisfies all rules, but its faults of shape
halve its weight. Its share is the maximum.
"""


def test_the_floor_is_the_maximum_share_of_weight_that_an_answer_keeps() -> None:
    assert FLOOR.rules == {"budget": Fraction(5, 8), "window": 1, "mode": 0}
    assert FLOOR.amounts == {("budget", "1/100 EUR"): 3000}
    assert (FLOOR.faults, FLOOR.share, FLOOR.passes) == (2, Fraction(1, 2), False)


def test_a_failing_plan_is_rewarded_by_the_weights_of_the_rules_that_it_satisfies() -> None:
    total = Fraction("1.975")
    expected: dict[Fraction, Faults] = {
        Fraction("1.775") + Fraction("0.2") / 2: {"window[a]": None},  # one of two instances of `window` is violated
        Fraction("1.4") + Fraction("0.575") * Fraction(3, 8): {"budget": 1000},  # 3000 / (2 * (3000 + 1000))
        Fraction("1.4"): {"budget": None},
        Fraction("1.775"): {"window[a]": 20, "window[b]": 5},  # all answers counted in FLOOR satisfy this rule
    }
    for share, faults in expected.items():
        assert reward_of(faults, FLOOR) == Fraction(4, 10) * (share / total - Fraction(1, 2)) * 2


def test_faults_of_shape_lower_the_reward() -> None:
    assert [reward_of({}, FLOOR, shape) for shape in (1, 2, 3)] == [
        Fraction(4, 10) * (Fraction(2, 3) - Fraction(1, 2)) * 2,
        0,
        0,
    ]


def test_a_passing_plan_is_rewarded_for_soft_constraints_but_not_if_it_could_be_guessed() -> None:
    assert [dense_reward(verdict_of({}, soft=soft), FLOOR) for soft in ((0, 0), (1, 2), (0, 2))] == [
        1,
        Fraction(9, 10),
        Fraction(8, 10),
    ]
    guessable = Floor.of([verdict_of({"mode": None})], passes=True)
    assert dense_reward(verdict_of({}), guessable, blind=True) == 0
    assert dense_reward(verdict_of({}), guessable) == 1
    assert reward_of({"budget": 1}, guessable) == 0


def test_the_reward_is_zero_without_a_floor_or_a_plan() -> None:
    assert dense_reward(verdict_of({"budget": 1}), None) == 0
    missing = undelivered("t", "no plan", hard=len(INSTANCES), soft=0)
    assert dense_reward(missing, FLOOR) == 0
    assert Floor.of([missing]).share == 0


def test_with_only_a_share_as_the_floor_instances_have_equal_weights() -> None:
    assert reward_of({"budget": 1}, Floor(Fraction(1, 2))) == Fraction(4, 10) * Fraction(1, 2)


# -- any floor ----------------------------------------------------------------------------------------------

plans = st.tuples(
    st.dictionaries(st.sampled_from(INSTANCES), st.integers(1, 5000)).map(
        lambda faults: {name: None if name == "mode" else amount for name, amount in faults.items()}
    ),
    st.integers(0, 3),
).filter(any)
"""Failing plans: violated instances, and the number of faults of shape."""
floors = st.lists(plans, max_size=5)


def floor_of(answers: Sequence[tuple[Faults, int]]) -> Floor:
    """Return the floor of answers, each given by its violated instances and faults of shape."""
    return Floor.of([verdict_of(*answer) for answer in answers])


@given(floors)
def test_answers_of_the_floor_get_no_reward(answers: list[tuple[Faults, int]]) -> None:
    floor = floor_of(answers)
    assert [reward_of(faults, floor, shape) for faults, shape in answers] == [0] * len(answers)


@given(floors, plans)
def test_a_passing_plan_gets_a_higher_reward_than_any_failing_plan(
    answers: list[tuple[Faults, int]], plan: tuple[Faults, int]
) -> None:
    floor = floor_of(answers)
    assert 0 <= reward_of(plan[0], floor, plan[1]) < Fraction(4, 10)
    assert dense_reward(verdict_of({}, soft=(0, 1)), floor) == Fraction(8, 10)


@given(floors, plans, st.data())
def test_the_reward_never_falls_if_a_plan_gets_better(
    answers: list[tuple[Faults, int]], plan: tuple[Faults, int], data: st.DataObject
) -> None:
    """The better plan satisfies one more instance, violates one by a smaller amount, or has one fault of shape
    less.
    """
    floor, (faults, shape) = floor_of(answers), plan
    better = dict(faults)
    name = data.draw(st.sampled_from([*faults, "shape"]))
    amount = faults.get(name)
    if name == "shape":
        shape -= shape > 0
    elif amount is not None and amount > 1 and data.draw(st.booleans()):
        better[name] = data.draw(st.integers(1, amount - 1))
    else:
        del better[name]
    assert reward_of(better, floor, shape) >= reward_of(faults, floor, plan[1])


def test_a_wrong_refusal_gets_no_reward() -> None:
    judge = planspec.Judge(planspec.loads(REFUSABLE))
    nothing = Floor(Fraction(0))
    for named in (["open"], True):
        verdict = judge.answer({"infeasible": named})
        assert verdict.status == "fail"
        assert dense_reward(verdict, nothing) == 0
    assert dense_reward(judge.answer({"visit": {"start": "09:00"}}), nothing) > 0


REFUSABLE = """planspec: task/1
id: trip
query: A visit.
environment: {refusals: allowed}
plan: {visit: {one: true, start: time}}
scope: {visit: {start: 08:00..12:00 step 1h}}
constraints:
  open: {hard: visit.start >= 10:00}
  early: {hard: visit.start <= 11:00}
"""


# -- objectives ---------------------------------------------------------------------------------------------


def objective(
    value: int | None, gap: int | None, best: int | None = 40, by: tuple[str, ...] = ("cpsat",)
) -> ObjectiveValue:
    """Return the value of an objective with its gap from the best value."""
    return ObjectiveValue(
        name="cost", goal="minimize", value=value, unit="1", best=best, gap=gap, by=by, scope="within"
    )


@pytest.mark.parametrize(
    ("objectives", "soft", "share"),
    [
        ([objective(40, 0)], (0, 0), 1),
        ([objective(50, 10)], (0, 0), Fraction(40, 50)),
        ([objective(50, 10)], (1, 2), (Fraction(1, 2) + Fraction(40, 50)) / 2),
        ([objective(50, 10, by=())], (1, 2), Fraction(1, 2)),  # the best plan is not proved
        ([objective(50, 10, by=())], (0, 0), 1),
        ([objective(1, 1, best=0)], (0, 0), Fraction(1, 2)),  # a best value of 0 counts as one unit
        ([objective(30, -10)], (0, 0), 1),  # better than the best within the scope
        ([objective(50, None)], (1, 2), Fraction(1, 4)),  # the best plan satisfies more soft constraints
        ([objective(None, None)], (0, 0), 0),
        ([objective(None, None, best=None)], (0, 0), 1),
        ([objective(50, 10), objective(40, None)], (0, 0), Fraction(40, 50) / 2),
        ([objective(40, 0), objective(60, 20)], (0, 0), (1 + Fraction(40, 60)) / 2),
    ],
)
def test_a_passing_plan_is_rewarded_by_its_distance_from_a_proved_best_plan(
    objectives: list[ObjectiveValue], soft: tuple[int, int], share: Fraction
) -> None:
    verdict = replace(verdict_of({}, soft=soft), objectives=tuple(objectives))
    assert dense_reward(verdict, FLOOR) == Fraction(8, 10) + Fraction(2, 10) * share
