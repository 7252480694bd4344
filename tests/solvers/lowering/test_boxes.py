"""No-overlap constraints on rectangles are derived from clauses on pairs. Every accepted plan satisfies them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import Boxes
from planspec.solvers.lowering import atoms
from planspec.solvers.lowering import problem as lowering
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import ground
from tests.back_ends import SOLVERS
from tests.differential.agreement import assert_lowering_agrees, plans_found, solutions
from tests.differential.plans import fingerprint
from tests.differential.test_meanings import SMALL, ground_or_reject
from tests.random_examples import examples


@pytest.fixture(autouse=True)
def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower comparisons over small domains in the same way as over large ones, instead of to tables."""
    monkeypatch.setattr(atoms, "TABLE", 0)


APART = "right(a) <= b.x or right(b) <= a.x or top(a) <= b.y or top(b) <= a.y"
CLAUSES = (
    APART,
    APART,
    "right(a) <= b.x or right(b) <= a.x or top(a) + 1 <= b.y or top(b) <= a.y",
    "right(a) <= b.x or top(a) <= b.y or top(b) <= a.y",
    "right(a) < b.x or right(b) < a.x or top(a) <= b.y or top(b) < a.y",
    f"{APART} or a.piece.number == 1",
    f"{APART} or a.x == 2",
    "right(a) <= b.x or right(b) <= a.x or top(a) <= b.x",
    "right(a) <= b.y or right(b) <= a.y or top(a) <= b.x or top(b) <= a.x",
)
"""Conditions on two pieces: no overlap, a distance between them, in fewer directions only, or with another alternative."""


def strip_task(
    pieces: list[tuple[int, int, str, str]],
    apart: str = APART,
    pairs: str = "",
    optional: bool = False,
    cost: str = "y",
) -> str:
    """Return a task of pieces on a strip.

    Args:
        pieces: width, height, and the domains of both coordinates of each piece.
        apart: condition on two pieces `a` and `b`.
        pairs: which pairs of pieces have this condition; by default all.
        optional: whether pieces may be left out.
        cost: coordinate, `x` or `y`, whose maximum is minimised.
    """
    rows = ", ".join(f"{{number: {n}, wide: {wide}, high: {high}}}" for n, (wide, high, _, _) in enumerate(pieces))
    scope = "".join(
        f"    - piece: Piece[{n}]\n      x: {x}\n      y: {y}\n" + ("      optional: true\n" if optional else "")
        for n, (_, _, x, y) in enumerate(pieces)
    )
    return f"""\
planspec: task/1
id: strip
query: Where does each piece lie?
tables:
  Piece:
    columns: {{number: key int, wide: int, high: int}}
    rows: [{rows}]
plan: {{places: {{piece: key Piece, x: int, y: int}}}}
define:
  right(p places): p.x + p.piece.wide
  top(p places): p.y + p.piece.high
scope:
  places:
{scope}constraints:
  apart:
    hard: >-
      all({apart}
          for a in places for b in places if a.piece.number < b.piece.number{pairs and f" and {pairs}"})
minimize: max({"top(p)" if cost == "y" else "right(p)"} for p in places) ?? 0
"""


@st.composite
def strips(draw: st.DrawFn) -> str:
    """Draw a task of three pieces. The condition may be missing for some pairs."""
    domains = st.sampled_from(("0..2", "0..2", "0..1", "1..2", "1"))
    side = st.integers(1, 2)
    pieces = draw(st.lists(st.tuples(side, side, domains, domains), min_size=3, max_size=3))
    pairs = draw(st.sampled_from(("", "", "", "b.piece.number != 2", "a.piece.wide > 1")))
    optional = draw(st.sampled_from((False, False, False, True)))
    return strip_task(pieces, draw(st.sampled_from(CLAUSES)), pairs, optional, draw(st.sampled_from("xy")))


def violated_boxes(lowered: Lowered) -> list[Boxes]:
    """Return the derived constraints that some assignment satisfying the hard conditions violates."""
    return [fact for values in solutions(lowered) for fact in lowered.problem.boxes if overlaps(fact, values)]


def overlaps(fact: Boxes, values: Mapping[int, int]) -> bool:
    """Return whether two rectangles overlap, or the end of one exceeds its upper bound."""
    sides = [
        [(start := evaluate(each.start, values), start + evaluate(each.length, values)) for each in side]
        for side in (fact.across, fact.along)
    ]
    count = len(fact.across)
    for axis, reach in enumerate(fact.reaches):
        if reach is not None and evaluate(reach, values) < max(end for _, end in sides[axis]):
            return True
    return any(
        all(side[a][0] < side[b][1] and side[b][0] < side[a][1] for side in sides)
        for a in range(count)
        for b in range(a)
    )


@settings(SMALL, max_examples=examples(40))
@given(strips())
def test_random_strips_allow_exactly_the_plans_that_the_reference_evaluator_accepts(text: str) -> None:
    task = ground_or_reject(text, 800)
    for presolve in (False, True):
        assert_lowering_agrees(task, presolve=presolve)


@settings(SMALL, max_examples=examples(40))
@given(strips())
def test_no_accepted_plan_has_overlapping_rectangles(text: str) -> None:
    lowered = lower(ground_or_reject(text, 4_000))
    assume(lowered.problem.boxes)
    event(f"{len(lowered.problem.boxes[0].across)} pieces, {len(lowered.problem.boxes[0].implies)} implied")
    assert violated_boxes(lowered) == []


@settings(SMALL, max_examples=examples(10))
@given(strips())
def test_back_ends_find_the_same_plans_of_a_strip(text: str) -> None:
    task = ground_or_reject(text, 800)
    lowered = lower(task)
    assume(lowered.problem.boxes)
    expected = {fingerprint(task, lowered.decode(values)) for values in solutions(lowered)}
    assume(len(expected) <= 25)
    for name in SOLVERS:
        assert plans_found(task, lowered, name) == expected


@pytest.mark.thorough
@settings(SMALL, max_examples=examples(25))
@given(strips())
def test_the_shortest_strip_is_the_same_without_derived_constraints(text: str) -> None:
    task = ground_or_reject(text, 4_000)
    assume(lower(task).problem.boxes)
    with pytest.MonkeyPatch.context() as patch:
        values = [solve(task).value]
        patch.setattr(lowering, "boxes", lambda *_: [])
        values.append(solve(task).value)
    assert values[0] == values[1]


FOUR = [(2, 3, "0..8", "0..9"), (3, 1, "0..8", "0..9"), (2, 2, "0..8", "0..9"), (4, 2, "0..6", "0..9")]


def fact_of(text: str) -> Boxes:
    """Return the only no-overlap constraint on rectangles that is derived from a task."""
    (fact,) = lower(ground(task_from_text(text))).problem.boxes
    return fact


@pytest.mark.parametrize("cost", ["x", "y"])
def test_clauses_on_all_pairs_become_boxes_which_imply_the_clauses(cost: str) -> None:
    fact = fact_of(strip_task(FOUR, cost=cost))
    sizes = sorted(
        tuple(sorted((a.length.constant, b.length.constant))) for a, b in zip(fact.across, fact.along, strict=True)
    )
    assert sizes == [(1, 3), (2, 2), (2, 3), (2, 4)]
    assert len(fact.implies) == 6
    assert [reach is None for reach in fact.reaches].count(False) == 1


def test_a_direction_that_is_too_narrow_needs_no_comparison() -> None:
    pieces = [(wide, high, "0..1", y) for wide, high, _, y in FOUR]
    assert len(fact_of(strip_task([*pieces, (1, 1, "0..4", "0..9")])).across) >= 3


def test_no_overlap_clauses_are_kept_if_they_require_a_distance_or_lack_a_direction() -> None:
    fact = fact_of(strip_task(FOUR, f"({APART}) and (right(a) <= b.x or top(a) <= b.y or top(b) + 2 <= a.y)"))
    assert len(fact.implies) == 6
    assert (
        violated_boxes(lower(ground(task_from_text(strip_task([(w, h, "0..2", "0..2") for w, h, _, _ in FOUR[:3]])))))
        == []
    )


@pytest.mark.parametrize("apart", [f"{APART} or a.x == 2", "right(a) <= b.x or right(b) <= a.x or top(a) <= b.x"])
def test_clauses_that_do_not_separate_rectangles_do_not_become_boxes(apart: str) -> None:
    assert lower(ground(task_from_text(strip_task(FOUR, apart)))).problem.boxes == []


def test_optional_rectangles_do_not_become_boxes() -> None:
    assert lower(ground(task_from_text(strip_task(FOUR, optional=True)))).problem.boxes == []


def test_a_full_rectangle_has_a_plan_and_a_smaller_one_has_none() -> None:
    """Former versions of CP-SAT wrongly excluded full rectangles (or-tools issue 3168)."""
    squares = [(3, 3), (2, 2), (2, 1), (1, 2), (2, 2), (2, 1), (2, 1)]
    for width, expected in ((5, Status.FEASIBLE), (4, Status.INFEASIBLE)):
        pieces = [(w, h, f"0..{width - w}", f"0..{5 - h}") for w, h in squares]
        lowered = lower(ground(task_from_text(strip_task(pieces))))
        outcome = backend("cpsat").open(lowered.problem, Limits()).solve()
        assert outcome.status is expected
