"""Proofs and explanations against enumeration, on tasks that Hypothesis draws."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.model.types import ScalarType
from planspec.errors import DiagnosticError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.lowering.problem import identity, lower
from planspec.solvers.questions.conflicts import why
from planspec.solvers.questions.enumerate import backbone, count
from planspec.solvers.questions.repair import LEVELS, MINUTES, repair
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.differences import differences, same
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.margin import Measured, margin_of
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings
from tests.differential.agreement import accepted, verdicts
from tests.differential.plans import all_plans
from tests.differential.programs import choices, constraint, hard_task, objective, scope, world
from tests.differential.test_meanings import SMALL, grounded

LIMITS = Limits(seconds=20)


@st.composite
def hard_tasks(draw: st.DrawFn, least: int, most: int) -> str:
    """Tasks of hard constraints, and an objective, which must not matter here."""
    choose = draw(choices())
    return hard_task(choose, least, most) + objective(choose)


def hard_instances(ground: Ground) -> frozenset[str]:
    """The ids of the hard instances that apply."""
    return frozenset(i.id for i in ground.instances if i.applicable and i.constraint.hard)


@st.composite
def background_tasks(draw: st.DrawFn) -> str:
    """Tasks of hard constraints, of which some are background."""
    choose = draw(choices())
    rules = [
        constraint(choose, f"c{i}", draw(st.integers(0, 1))) + "    background: true\n" * draw(st.booleans())
        for i in range(draw(st.integers(3, 6)))
    ]
    return world(choose) + scope(choose) + "constraints:\n" + "".join(rules)


def satisfied_sets(ground: Ground) -> set[frozenset[str]]:
    """For each plan of the right shape, the hard instances that it satisfies."""
    hard = [i for i in ground.instances if i.applicable and i.constraint.hard]
    return {
        frozenset(
            i.id for i, v in zip(ground.instances, verdicts(ground, plan), strict=True) if v and i in hard
        )
        for plan in all_plans(ground)
        if not any(shape_findings(ground, plan))
    }


def enumerated_muses(ground: Ground, held: set[frozenset[str]]) -> set[frozenset[str]]:
    """All minimal sets of instances that no plan satisfies together."""
    names = sorted(hard_instances(ground))
    made: set[frozenset[str]] = set()
    for size in range(len(names) + 1):
        for chosen in map(frozenset, combinations(names, size)):
            if not any(mus <= chosen for mus in made) and not any(chosen <= s for s in held):
                made.add(chosen)
    return made


@settings(SMALL, max_examples=25)
@given(hard_tasks(3, 6))
def test_conflicts_are_all_minimal_sets_that_no_plan_satisfies(text: str) -> None:
    """MARCO over CP-SAT and over Z3, one MUS alone, and the cheapest relaxations."""
    made = grounded(text, 300)
    names = hard_instances(made)
    assume(len(names) <= 7)  # each of their subsets is looked at
    held = satisfied_sets(made)
    assume(held)
    muses = enumerated_muses(made, held)
    event(f"{min(len(muses), 3)} or more conflicts")
    assume(muses)
    least = min(len(names) - len(s) for s in held)
    for name in ("cpsat", "smt", "sat"):
        try:
            found = why(made, every=True, backend=name, limits=LIMITS, bounds=False)
        except DiagnosticError:
            assume(False)
            return
        assert found.status is Status.INFEASIBLE
        assert found.complete
        assert {frozenset(m.id for m in mus) for mus in found.mus_sets} == muses
        assert len(found.mus_sets) == len(muses)
        one = why(made, backend=name, limits=LIMITS, bounds=False)
        assert frozenset(m.id for m in one.mus_sets[0]) in muses
        assert not one.complete or len(muses) == 1
        for conflict in (found, one):
            assert {r.weight for r in conflict.relaxations} == {least}
            drops = {frozenset(m.id for m in r.drop) for r in conflict.relaxations}
            for drop in drops:
                assert all(drop & mus for mus in muses)
                assert any(names - drop <= s for s in held)
            if conflict.relaxed:
                every = {names - s for s in held if len(names - s) == least}
                assert drops == every


@settings(SMALL, max_examples=25)
@given(background_tasks())
def test_background_is_never_given_up_and_amounts_are_the_least(text: str) -> None:
    """Conflicts and ways out are those of the other rules, given the background; amounts are negative margins."""
    made = grounded(text, 300)
    held = satisfied_sets(made)
    hard = [i for i in made.instances if i.applicable and i.constraint.hard]
    background = {i.id for i in hard if i.constraint.background}
    others = sorted({i.id for i in hard} - background)
    assume(len(others) <= 7)  # each of their subsets is looked at
    assume(not any(len(s) == len(hard) for s in held))
    muses: set[frozenset[str]] = set()
    for size in range(len(others) + 1):
        for chosen in map(frozenset, combinations(others, size)):
            if not any(mus <= chosen for mus in muses) and not any(chosen | background <= s for s in held):
                muses.add(chosen)
    for name in ("cpsat", "smt", "sat"):
        try:
            found = why(made, every=True, backend=name, limits=LIMITS, bounds=False)
        except DiagnosticError:
            assume(False)
            return
        if muses == {frozenset()}:
            event("background alone")
            (mus,) = found.mus_sets
            assert {m.level for m in mus} == {"background"}
            assert not found.relaxations
            rules = {m.id for m in mus if m.instance is not None}
            assert not any(rules <= s for s in held)
            if len(rules) == len(mus):
                assert all(any(rules - {m} <= s for s in held) for m in rules)
            continue
        assert {frozenset(m.id for m in mus) for mus in found.mus_sets} == muses
        assert all(member.level == "hard" for r in found.relaxations for member in r.drop)
        for relaxation in found.relaxations:
            names = {m.id for m in relaxation.drop}
            assert any(set(others) - names | background <= s for s in held)
            (first, *_), (amount, *_) = relaxation.drop, relaxation.amounts
            if amount is not None and first.instance is not None:
                event("an amount")
                assert amount.proved
                assert amount.by == least_shortage(made, first.instance, {i.id for i in hard} - names)


def least_shortage(ground: Ground, instance: Instance, kept: set[str]) -> int | Fraction:
    """By how much an instance is missed at least, where some others hold."""
    hard = [i for i in ground.instances if i.applicable and i.constraint.hard]
    found = []
    for plan in all_plans(ground):
        on = ground.interpreter.on(plan)
        if any(shape_findings(ground, plan)) or not all(
            on.holds(i.constraint.body, i.env) for i in hard if i.id in kept
        ):
            continue
        margin = margin_of(instance.constraint.body, instance.env, on, holds=False)
        if isinstance(margin, Measured):
            found.append(-margin.amount)
    return min(found)


@settings(SMALL, max_examples=25)
@given(hard_tasks(1, 2))
def test_plans_are_counted_and_their_common_fields_found(text: str) -> None:
    """Counts as enumeration counts, told apart as uniqueness tells them."""
    made = grounded(text, 300)
    good = [plan for plan in all_plans(made) if accepted(made, plan)]
    told = identity(made)
    prints = {
        tuple(
            tuple(
                sorted(
                    (tuple(repr(getattr(row, c)) for c in told[name]) for row in plan.tables[name]), key=repr
                )
            )
            for name in told
        )
        for plan in good
    }
    try:
        lowered = lower(made)
    except DiagnosticError:
        assume(False)
        return
    claimed = validate(made, limits=LIMITS)
    assert claimed.feasible.status == ("feasible" if prints else "infeasible")
    assert claimed.unique.status == {0: "infeasible", 1: "unique"}.get(len(prints), "multiple")
    for name in ("cpsat", "smt", "sat"):
        assert count(lowered, most=40, backend=name, limits=LIMITS).count == min(len(prints), 40)
        assert count(lowered, most=40, backend=name, limits=LIMITS).exact == (len(prints) <= 40)
        core = backbone(lowered, backend=name, limits=LIMITS)
        assert (core is None) == (not good)
        if core is not None:
            assert core.complete
            fixed = {place: {_field(made, plan, place) for plan in _placed(made)} for place in core.fixed}
            assert all(len(values) == 1 for values in fixed.values()), fixed
            event(f"backbone of {min(len(core.fixed), 3)}")


def _placed(ground: Ground) -> list[dict[tuple[str, int, str], Any]]:
    """Accepted plans as fields by place in the scope."""
    from itertools import product

    from planspec.dsl.model.rows import make_row
    from tests.differential.plans import row_choices

    slots = [(name, i, row) for name, rows in ground.rows.items() for i, row in enumerate(rows)]
    made = []
    for filled in product(*(row_choices(row) for _, _, row in slots)):
        tables: dict[str, list[Any]] = {table.name: [] for table in ground.task.plan_tables}
        fields: dict[tuple[str, int, str], Any] = {}
        for (name, i, row), values in zip(slots, filled, strict=True):
            if values is not None:
                tables[name].append(make_row(row.table, values, len(tables[name])))
                fields.update({(name, i, c): repr(v) for c, v in values.items()})
        if accepted(ground, Plan({name: tuple(rows) for name, rows in tables.items()})):
            made.append(fields)
    return made


def _field(_ground: Ground, fields: dict[tuple[str, int, str], Any], place: tuple[str, int, str]) -> Any:
    return fields.get(place, "absent")


# -- repair ------------------------------------------------------------------------------------------


def distance(ground: Ground, answer: Plan, plan: Plan) -> tuple[int | Fraction, ...]:
    """How far a plan is from an answer whose rows have readable keys: straight from the definition."""
    rows = fields = minutes = money = 0
    for table in ground.task.plan_tables:
        before = {row._key: row for row in answer.tables[table.name]}
        after = {row._key: row for row in plan.tables[table.name]}
        if table.one:
            before, after = (dict.fromkeys([()], next(iter(kept.values()))) for kept in (before, after))
        rows += len(before.keys() ^ after.keys())
        for key in before.keys() & after.keys():
            for name, column in table.columns.items():
                a, b = getattr(before[key], name), getattr(after[key], name)
                fields += not same(a, b)
                if a is not None and b is not None and isinstance(column.type, ScalarType):
                    minutes += abs(a - b) * MINUTES[column.type] if column.type in MINUTES else 0
                    money += abs(a - b) if column.type is ScalarType.MONEY else 0
    judged = zip(ground.instances, verdicts(ground, plan), strict=True)
    lost = sum(i.weight for i, v in judged if v is False and not i.constraint.hard)
    return rows, fields, minutes, money, lost


@settings(SMALL, max_examples=25)
@given(hard_tasks(1, 3), st.randoms(use_true_random=False))
def test_no_plan_is_nearer_than_the_repair(text: str, random: Any) -> None:
    """Of an answer in scope, against every plan that the verifier accepts."""
    made = grounded(text, 300)
    keyed = [p for p in all_plans(made) if all(
        len({r._key for r in rows}) == len(rows) for name, rows in p.tables.items() if made.task.tables[name].key
    )]  # fmt: skip
    assume(keyed)
    answer = keyed[random.randrange(len(keyed))]
    assume(all(table.key or table.one or not made.rows[table.name] for table in made.task.plan_tables))
    good = [plan for plan in all_plans(made) if accepted(made, plan)]
    for name in ("cpsat", "smt", "sat"):
        try:
            found = repair(made, answer, backend=name, limits=LIMITS)
        except DiagnosticError:
            assume(False)
            return
        if not good:
            assert found.status is Status.INFEASIBLE
            continue
        assert found.status is Status.OPTIMAL
        assert found.plan is not None
        best = min(distance(made, answer, plan) for plan in good)
        assert distance(made, answer, found.plan) == best
        assert found.distance is not None
        assert all(found.distance.get(level, 0) == value for level, value in zip(LEVELS, best, strict=True))
        assert bool(found.edits) == (best[:2] != (0, 0))
        assert len(found.edits) == best[0] + best[1]
        assert found.edits == differences(made.task, answer, found.plan)
