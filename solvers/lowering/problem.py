"""Lowering of a ground task (with all constraints instantiated) to the problem that back ends solve, in two passes.

The first pass lowers constraints without `steps`, `first` and `last`. Their conditions, which must hold, narrow domains
and reveal fields that equal another field plus a constant. The second pass lowers everything over the narrowed domains,
so that tables are small and expressions become constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import task as tasks
from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import hashable
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import ScalarType, Stage
from planspec.dsl.resources.collecting import rarely_collecting
from planspec.solvers.ir.builder import BoundError, NodeBuilder
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool
from planspec.solvers.ir.problem import LinearObjective, Problem, Rooted
from planspec.solvers.lowering.boxes import boxes
from planspec.solvers.lowering.cumulative import cumulatives, peaks
from planspec.solvers.lowering.decision_rows import (
    DecisionRows,
    PresolveFacts,
    ValueEncoding,
    decode,
    key_rules,
    make_slots,
    row_vars,
)
from planspec.solvers.lowering.different import differences
from planspec.solvers.lowering.lower import Lowering
from planspec.solvers.lowering.no_overlap import no_overlaps
from planspec.solvers.lowering.presolve import presolve_facts
from planspec.solvers.lowering.routes import routes
from planspec.solvers.lowering.symbolic import NotSupportedError
from planspec.verifiers.meaning.ground import FieldDomain, Ground, Instance
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(slots=True, eq=False)
class Lowered:
    """A lowered task: its problem, and the data that decodes assignments into plans.

    Attributes:
        ground: the task.
        problem: the problem for back ends.
        slots: rows that the plan may have, as decision variables.
        coding: encoding of values as integers.
        memory: cache of conditions over the problem's variables, shared by all questions that are answered with it.
    """

    ground: Ground
    problem: Problem
    slots: DecisionRows
    coding: ValueEncoding
    memory: Memory = field(default_factory=Memory)

    def decode(self, values: Mapping[int, int]) -> Plan:
        """Return the plan that an assignment, the value of each variable by id, describes."""
        return decode(self.slots, values, self.ground)


@rarely_collecting()
def lower(ground: Ground, *, presolve: bool = True) -> Lowered:
    """Translate a task into a problem: the rows and values that a plan may have, its constraints and objectives.

    With `presolve`, domains are narrowed first, and constraints such as routes are derived from the hard conditions.

    Raises:
        DiagnosticError: a constraint or objective has no encoding (PS501, PS502), or a number in it may exceed 2**53
            (PS503).
    """
    report = Report()
    applicable = [instance for instance in ground.instances if instance.applicable]
    coding = ValueEncoding(ground)
    facts = PresolveFacts()
    if presolve:
        hard = {i.constraint.id: i.constraint for i in applicable if i.constraint.hard}
        comparable = {
            name: part for name, constraint in hard.items() if (part := _rowwise_part(constraint)) is not None
        }
        easy = [replace(i, constraint=comparable[i.constraint.id]) for i in applicable if i.constraint.id in comparable]
        first = _LoweringPass(ground, coding, PresolveFacts(), report)
        roots = first.hard(easy)
        report.stop_if_failed()
        facts = presolve_facts(roots, first.slots)
    final = _LoweringPass(ground, coding, facts, report)
    lowered = final.problem(applicable)
    if presolve:
        atoms, problem = final.lowering.atoms, lowered.problem
        problem.routes = routes(final.lowering.encountered, problem.hard, final.model, atoms)
        problem.no_overlaps = no_overlaps(final.lowering.encountered, problem.hard, final.model, atoms)
        problem.different = differences(final.lowering.encountered, problem.hard)
        problem.cumulatives = cumulatives(final.lowering.encountered, problem.hard, final.model, atoms)
        problem.peaks = peaks(final.lowering.encountered, final.model, atoms)
        problem.boxes = boxes(problem)
    report.stop_if_failed()
    return lowered


class SharedLowering:
    """Callable that lowers each ground task once, so that several questions about it share one problem.

    Questions, such as searches for a second plan, add conditions only to their sessions with a back end, so they can
    share the problem. A failed lowering is not stored.
    """

    def __init__(self) -> None:
        self._lowered: dict[int, Lowered] = {}

    def __call__(self, ground: Ground) -> Lowered:
        """Return the lowered task, from the cache if it was lowered before; see `lower`."""
        lowered = self._lowered.get(id(ground))
        if lowered is None:
            lowered = self._lowered[id(ground)] = lower(ground)  # keeps the task alive, so that its id stays unique
        return lowered


def lower_alone(ground: Ground, instance: Instance) -> Bool:
    """Return the condition of one instance of a constraint, that is, for one binding of the constraint's variables.

    The instance is lowered independently of all other constraints. Domains are not narrowed, and no cached result is
    used.

    Raises:
        DiagnosticError: the constraint has no encoding (PS501, PS502), or a number in it may exceed 2**53 (PS503).
    """
    report = Report()
    alone = replace(ground, interpreter=Interpreter(ground.task))
    lowering_pass = _LoweringPass(alone, ValueEncoding(alone), PresolveFacts(), report)
    condition = lowering_pass.condition(instance)
    report.stop_if_failed()
    return condition


def _rowwise_part(constraint: t.Constraint) -> t.Constraint | None:
    """Return a constraint without its conjuncts that compare rows of the plan with one another.

    Return None if no conjunct remains.
    """
    if not _compares_rows(constraint.body):
        return constraint
    match constraint.body:
        case t.Logic(op="and", operands=operands):
            parts = tuple(part for part in operands if not _compares_rows(part))
            return replace(constraint, body=replace(constraint.body, operands=parts)) if parts else None
    return None


def _compares_rows(body: t.Expr) -> bool:
    """Return whether an expression compares rows of the plan, or conditions on the plan, with one another.

    Such an expression is expensive to lower, and narrows single fields only a little.
    """
    match body:
        case t.Compare(operands=(t.Typed(type=ScalarType.BOOL) as one, t.Typed() as other)) if Stage.STATIC not in (
            one.stage,
            other.stage,
        ):
            return True
    return any(
        isinstance(n, t.Steps | t.Intervals)
        or (isinstance(n, t.Aggregate) and (n.by is not None or n.function in ("sum", "count", "all_different")))
        for n in walk(body)
    )


class _LoweringPass:
    """One pass of lowering: a translation of a task with new decision variables, whose domains `facts` may narrow."""

    def __init__(self, ground: Ground, coding: ValueEncoding, facts: PresolveFacts, report: Report) -> None:
        self.ground = ground
        self.coding = coding
        self.report = report
        self.model = NodeBuilder()
        self.slots = make_slots(ground, self.model, coding, facts)
        self.lowering = Lowering(ground, self.model, self.slots, coding)

    def hard(self, instances: Sequence[Instance]) -> list[Rooted]:
        """Return the conditions of instances of hard constraints, and the conditions on the rows of each plan table.

        The latter are about the keys and the number of the rows, and fix the fields of absent rows.
        """
        conditions = list(self.slots.hard)
        conditions.extend(key_rules(self.slots, self.model, self.lowering.atoms.equal))
        missing = [x.name for x in self.ground.task.plan_tables if x.one and not self.slots.by_table[x.name]]
        conditions.extend(Rooted(FALSE, f"plan:{name}") for name in missing)
        for instance in instances:
            condition = self.condition(instance)
            if condition is not TRUE:
                conditions.append(Rooted(condition, instance.id))
        return conditions

    def condition(self, instance: Instance) -> Bool:
        """Return the condition of an instance of a constraint. If it has no encoding, report this and return TRUE."""
        try:
            return self.lowering.condition(instance.constraint.body, instance.env)
        except (NotSupportedError, BoundError) as error:
            report_unsupported(error, instance.constraint.body, self.report)
            return TRUE

    def problem(self, applicable: Sequence[Instance]) -> Lowered:
        """Lower the objectives and the given instances of constraints."""
        hard = self.hard([i for i in applicable if i.constraint.hard])
        soft = [(Rooted(self.condition(i), i.id), i.weight) for i in applicable if not i.constraint.hard and i.weight]
        objectives = [linear for linear in map(self._objective, self.ground.task.objectives) if linear is not None]
        problem = Problem(self.model, hard, soft, objectives, row_vars(self.slots), identity(self.ground))
        return Lowered(self.ground, problem, self.slots, self.coding)

    def _objective(self, objective: tasks.Objective) -> LinearObjective | None:
        try:
            number = self.lowering.algebra.num(self.lowering.value(objective.expression, {}))
        except (NotSupportedError, BoundError) as error:
            report_unsupported(error, objective.expression, self.report)
            return None
        linear = self.model.scale(number.linear, -1) if objective.maximize else number.linear
        return LinearObjective(linear, number.defined, number.scale, objective.maximize)


def report_unsupported(error: NotSupportedError | BoundError, body: t.Expr, report: Report) -> None:
    """Report a constraint or objective that no back end can express.

    Args:
        error: the reason.
        body: body of the constraint or objective.
        report: report to which a diagnostic PS501, PS502 or PS503 is added.
    """
    if isinstance(error, NotSupportedError):
        span = error.expr.span
        if "combinations" in str(error):
            report.error(
                "PS501",
                f"this has {error} in the scope",
                span,
                "neither linear nor small enough to tabulate",
                help="narrow the domains in the scope, or compare with known values",
            )
        else:
            report.error("PS502", f"no back end can express {error}", span, "the verifier can judge it")
    else:
        report.error("PS503", "a number in the search passes 2**53", body.span, str(error))


def identity(ground: Ground) -> dict[str, tuple[str, ...]]:
    """Return, for each plan table, the columns in which plans are compared. Plans that agree in them count as equal.

    If the task declares `unique`, these are the keys and the columns that `unique` lists, and the result leaves out
    each table of which `unique` lists no column. Otherwise, these are the keys, the columns that the scope leaves open
    in some possible row (allows several values), and the columns in which possible rows have different values.
    """
    unique = ground.task.unique
    columns_by_table = {}
    for table in ground.task.plan_tables:
        if unique is not None and all(name != table.name for name, _ in unique):
            continue
        opened = {name for row in ground.rows[table.name] for name, domain in row.fields.items() if domain.open}
        # a column in which every row has a fixed value also distinguishes rows, if these values differ
        varied = {
            name
            for name in table.columns
            if len({_field_values(row.fields[name]) for row in ground.rows[table.name]}) > 1
        }
        chosen = opened | varied if unique is None else {c for t_, c in unique if t_ == table.name}
        columns_by_table[table.name] = tuple(name for name in table.columns if name in table.key or name in chosen)
    return columns_by_table


def same_plan(ground: Ground, a: Plan, b: Plan) -> bool:
    """Return whether two plans have equal rows, in any order, in the columns that distinguish plans; see `identity`."""

    def rows(plan: Plan, table: str, columns: tuple[str, ...]) -> Counter[tuple[object, ...]]:
        return Counter(tuple(hashable(getattr(row, c)) for c in columns) for row in plan.tables[table])

    return all(rows(a, table, columns) == rows(b, table, columns) for table, columns in identity(ground).items())


def _field_values(domain: FieldDomain) -> tuple[object, ...]:
    """Return a hashable representation of a field's domain, which is equal for equal domains."""
    return (domain.values, domain.interval, domain.or_none)
