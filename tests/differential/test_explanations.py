"""Proofs and explanations of random tasks agree with enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.types import ScalarType
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.lowering.problem import identity, lower
from planspec.solvers.questions.conflicts import why
from planspec.solvers.questions.distance import LEVELS, MINUTES
from planspec.solvers.questions.enumerate import backbone, count
from planspec.solvers.questions.repair import repair
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.differences import are_equal_cells, differences
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.margin import Measured, margin_of
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings
from tests.back_ends import SOLVERS
from tests.differential.agreement import reference_accepts, reference_statuses
from tests.differential.plans import all_plans
from tests.differential.programs import (
    choices,
    constraint_text,
    hard_task_text,
    objective_text,
    scope_text,
    world_text,
)
from tests.differential.test_meanings import SMALL, ground_or_reject
from tests.random_examples import examples

LIMITS = Limits(seconds=20)


@st.composite
def hard_tasks(draw: st.DrawFn, min_count: int, max_count: int) -> str:
    """Draw the text of a task with hard constraints, and an objective that explanations must ignore."""
    choose = draw(choices())
    return hard_task_text(choose, min_count, max_count) + objective_text(choose)


def hard_instances(ground: Ground) -> frozenset[str]:
    """Return the ids of the hard instances that apply."""
    return frozenset(i.id for i in ground.instances if i.applicable and i.constraint.hard)


@st.composite
def background_tasks(draw: st.DrawFn) -> str:
    """Draw the text of a task with hard constraints, some of them background."""
    choose = draw(choices())
    rules = [
        constraint_text(choose, f"c{i}", draw(st.integers(0, 1))) + "    background: true\n" * draw(st.booleans())
        for i in range(draw(st.integers(3, 6)))
    ]
    return world_text(choose) + scope_text(choose) + "constraints:\n" + "".join(rules)


def satisfied_sets(ground: Ground) -> set[frozenset[str]]:
    """Return the sets of hard instances that plans of the right shape satisfy."""
    hard = [i for i in ground.instances if i.applicable and i.constraint.hard]
    return {
        frozenset(
            i.id for i, v in zip(ground.instances, reference_statuses(ground, plan), strict=True) if v and i in hard
        )
        for plan in all_plans(ground)
        if not any(shape_findings(ground, plan))
    }


def enumerate_muses(ground: Ground, satisfied: set[frozenset[str]]) -> set[frozenset[str]]:
    """Return all minimal sets of instances that no plan satisfies together."""
    names = sorted(hard_instances(ground))
    muses: set[frozenset[str]] = set()
    for size in range(len(names) + 1):
        for chosen in map(frozenset, combinations(names, size)):
            if not any(mus <= chosen for mus in muses) and not any(chosen <= s for s in satisfied):
                muses.add(chosen)
    return muses


@settings(SMALL, max_examples=examples(25))
@given(hard_tasks(3, 6))
def test_conflicts_are_all_minimal_sets_that_no_plan_satisfies(text: str) -> None:
    """MARCO on each back end, a single MUS, and the cheapest relaxations are compared with enumeration."""
    task = ground_or_reject(text, 300)
    names = hard_instances(task)
    assume(len(names) <= 7)  # all their subsets are enumerated
    satisfied = satisfied_sets(task)
    assume(satisfied)
    muses = enumerate_muses(task, satisfied)
    event(f"{min(len(muses), 3)} or more conflicts")
    assume(muses)
    least = min(len(names) - len(s) for s in satisfied)
    for name in SOLVERS:
        try:
            conflicts = why(task, every=True, backend=name, limits=LIMITS, bounds=False)
        except DiagnosticError:
            assume(False)
            return
        assert conflicts.status is Status.INFEASIBLE
        assert conflicts.complete
        assert {frozenset(m.id for m in mus) for mus in conflicts.mus_sets} == muses
        assert len(conflicts.mus_sets) == len(muses)
        one = why(task, backend=name, limits=LIMITS, bounds=False)
        assert frozenset(m.id for m in one.mus_sets[0]) in muses
        assert not one.complete or len(muses) == 1
        for conflict in (conflicts, one):
            assert {r.weight for r in conflict.relaxations} == {least}
            drops = {frozenset(m.id for m in r.drop) for r in conflict.relaxations}
            for drop in drops:
                assert all(drop & mus for mus in muses)
                assert any(names - drop <= s for s in satisfied)
            if conflict.relaxed:
                every = {names - s for s in satisfied if len(names - s) == least}
                assert drops == every


@settings(SMALL, max_examples=examples(25))
@given(background_tasks())
def test_background_rules_are_never_relaxed_and_amounts_are_minimal(text: str) -> None:
    """Conflicts and relaxations contain no background rule. Amounts are negative margins."""
    task = ground_or_reject(text, 300)
    satisfied = satisfied_sets(task)
    hard = [i for i in task.instances if i.applicable and i.constraint.hard]
    background = {i.id for i in hard if i.constraint.background}
    others = sorted({i.id for i in hard} - background)
    assume(len(others) <= 7)  # all their subsets are enumerated
    assume(not any(len(s) == len(hard) for s in satisfied))
    muses: set[frozenset[str]] = set()
    for size in range(len(others) + 1):
        for chosen in map(frozenset, combinations(others, size)):
            if not any(mus <= chosen for mus in muses) and not any(chosen | background <= s for s in satisfied):
                muses.add(chosen)
    for name in SOLVERS:
        try:
            conflict = why(task, every=True, backend=name, limits=LIMITS, bounds=False)
        except DiagnosticError:
            assume(False)
            return
        if muses == {frozenset()}:
            event("background alone")
            (mus,) = conflict.mus_sets
            assert {m.level for m in mus} == {"background"}
            assert not conflict.relaxations
            rules = {m.id for m in mus if m.instance is not None}
            assert not any(rules <= s for s in satisfied)
            if len(rules) == len(mus) and satisfied:  # otherwise all plans in scope have duplicate keys
                assert all(any(rules - {m} <= s for s in satisfied) for m in rules)
            continue
        assert {frozenset(m.id for m in mus) for mus in conflict.mus_sets} == muses
        assert all(member.level == "hard" for r in conflict.relaxations for member in r.drop)
        for relaxation in conflict.relaxations:
            names = {m.id for m in relaxation.drop}
            assert any(set(others) - names | background <= s for s in satisfied)
            (first, *_), (amount, *_) = relaxation.drop, relaxation.amounts
            if amount is not None and first.instance is not None:
                event("an amount")
                assert amount.proved
                assert amount.by == minimum_shortage(task, first.instance, {i.id for i in hard} - names)


def minimum_shortage(ground: Ground, instance: Instance, others: set[str]) -> int | Fraction:
    """Return the smallest amount by which a plan can violate an instance while it satisfies the other instances."""
    hard = [i for i in ground.instances if i.applicable and i.constraint.hard]
    amounts = []
    for plan in all_plans(ground):
        interpreter = ground.interpreter.on(plan)
        if any(shape_findings(ground, plan)) or not all(
            interpreter.holds(i.constraint.body, i.env) for i in hard if i.id in others
        ):
            continue
        margin = margin_of(instance.constraint.body, instance.env, interpreter, holds=False)
        if isinstance(margin, Measured):
            amounts.append(-margin.amount)
    return min(amounts)


@settings(SMALL, max_examples=examples(25))
@given(hard_tasks(1, 2))
def test_counts_and_common_fields_of_plans_are_right(text: str) -> None:
    """Counts equal the results of enumeration. Plans are distinguished by the fields that count for uniqueness."""
    task = ground_or_reject(text, 300)
    good = [plan for plan in all_plans(task) if reference_accepts(task, plan)]
    identities = identity(task)
    prints = {
        tuple(
            tuple(
                sorted(
                    (tuple(repr(getattr(row, c)) for c in identities[name]) for row in plan.tables[name]),
                    key=repr,
                )
            )
            for name in identities
        )
        for plan in good
    }
    try:
        lowered = lower(task)
    except DiagnosticError:
        assume(False)
        return
    validation = validate(task, limits=LIMITS)
    assert validation.feasible.status == ("feasible" if prints else "infeasible")
    assert validation.unique.status == {0: "infeasible", 1: "unique"}.get(len(prints), "multiple")
    for name in SOLVERS:
        assert count(lowered, most=40, backend=name, limits=LIMITS).count == min(len(prints), 40)
        assert count(lowered, most=40, backend=name, limits=LIMITS).exact == (len(prints) <= 40)
        core = backbone(lowered, backend=name, limits=LIMITS)
        assert (core is None) == (not good)
        if core is not None:
            assert core.complete
            fixed = {
                place: {_field_value(task, plan, place) for plan in _accepted_plans_by_field(task)}
                for place in core.fixed
            }
            assert all(len(values) == 1 for values in fixed.values()), fixed
            event(f"backbone of {min(len(core.fixed), 3)}")


def _accepted_plans_by_field(ground: Ground) -> list[dict[tuple[str, int, str], Any]]:
    """Return each accepted plan as a dict with a value for each (table, index of a row in scope, column)."""
    from itertools import product

    from planspec.dsl.model.rows import make_row
    from tests.differential.plans import row_choices

    slots = [(name, i, row) for name, rows in ground.rows.items() for i, row in enumerate(rows)]
    placed = []
    for filled in product(*(row_choices(row) for _, _, row in slots)):
        tables: dict[str, list[Any]] = {table.name: [] for table in ground.task.plan_tables}
        fields: dict[tuple[str, int, str], Any] = {}
        for (name, i, row), values in zip(slots, filled, strict=True):
            if values is not None:
                tables[name].append(make_row(row.table, values, len(tables[name])))
                fields.update({(name, i, c): repr(v) for c, v in values.items()})
        if reference_accepts(ground, Plan({name: tuple(rows) for name, rows in tables.items()})):
            placed.append(fields)
    return placed


def _field_value(_ground: Ground, fields: dict[tuple[str, int, str], Any], field: tuple[str, int, str]) -> Any:
    """Return the value of a field, or `absent`."""
    return fields.get(field, "absent")


# -- repair ------------------------------------------------------------------------------------------


def distance(ground: Ground, answer: Plan, plan: Plan) -> tuple[int | Fraction, ...]:
    """Return the distance of a plan from an answer whose keys can be read, as the definition computes it."""
    rows = fields = minutes = money = 0
    for table in ground.task.plan_tables:
        before = {row._key: row for row in answer.tables[table.name]}
        after = {row._key: row for row in plan.tables[table.name]}
        if table.one:
            before, after = (dict.fromkeys([()], next(iter(table_rows.values()))) for table_rows in (before, after))
        rows += len(before.keys() ^ after.keys())
        for key in before.keys() & after.keys():
            for name, column in table.columns.items():
                a, b = getattr(before[key], name), getattr(after[key], name)
                fields += not are_equal_cells(a, b)
                if a is not None and b is not None and isinstance(column.type, ScalarType):
                    minutes += abs(a - b) * MINUTES[column.type] if column.type in MINUTES else 0
                    money += abs(a - b) if column.type is ScalarType.MONEY else 0
    judged = zip(ground.instances, reference_statuses(ground, plan), strict=True)
    lost = sum(i.weight for i, v in judged if v is False and not i.constraint.hard)
    return rows, fields, minutes, money, lost


def _adds_values(task: Ground, answer: Plan) -> bool:
    """Return whether the answer has a value that no row in scope with the same key has.

    A repair may use such a value, so plans outside the scope must then also be compared.
    """
    return any(
        not domain.admits(getattr(row, name))
        for table, rows in answer.tables.items()
        for row in rows
        for slot in task.rows[table]
        if all(slot.fields[name].admits(getattr(row, name)) for name in slot.table.key)
        for name, domain in slot.fields.items()
        if getattr(row, name) is not None
    )


@settings(SMALL, max_examples=examples(25))
@given(hard_tasks(1, 3), st.randoms(use_true_random=False))
def test_no_plan_is_nearer_than_the_repair(text: str, random: Any) -> None:
    """The distance of every accepted plan is computed. The answer is in scope and adds no value to it."""
    task = ground_or_reject(text, 300)
    keyed = [
        p
        for p in all_plans(task)
        if all(
            len({r._key for r in rows}) == len(rows) for name, rows in p.tables.items() if task.task.tables[name].key
        )
    ]
    assume(keyed)
    answer = keyed[random.randrange(len(keyed))]
    assume(all(table.key or table.one or not task.rows[table.name] for table in task.task.plan_tables))
    assume(not _adds_values(task, answer))
    good = [plan for plan in all_plans(task) if reference_accepts(task, plan)]
    for name in SOLVERS:
        try:
            result = repair(task, answer, backend=name, limits=LIMITS)
        except DiagnosticError:
            assume(False)
            return
        if not good:
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.OPTIMAL
        assert result.plan is not None
        best = min(distance(task, answer, plan) for plan in good)
        assert distance(task, answer, result.plan) == best
        assert result.distance is not None
        assert all(result.distance.get(level, 0) == value for level, value in zip(LEVELS, best, strict=True))
        assert bool(result.edits) == (best[:2] != (0, 0))
        assert len(result.edits) == best[0] + best[1]
        assert result.edits == differences(task.task, answer, result.plan)
