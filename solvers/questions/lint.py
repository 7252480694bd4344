"""Lint of a task's rules with a solver: mistakes that reading the rules cannot show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import every_node
from planspec.dsl.model.types import RowType, ScalarType, Stage, Table
from planspec.dsl.model.value_text import show
from planspec.dsl.yaml.reader import Mapping, Node, compose
from planspec.dsl.yaml.reader import Sequence as List
from planspec.errors import DiagnosticError, LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.problem import identity, lower
from planspec.solvers.lowering.symbolic import Algebra
from planspec.solvers.questions.beyond_scope import beyond
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import Member, Relaxable, relaxable, shape_conflict
from planspec.solvers.questions.exclusion import forbid_plan
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.solvers.questions.sufficiency import Sufficiency, places_read, sufficiency
from planspec.solvers.questions.validation import validate
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.differences import differences
from planspec.verifiers.meaning.ground import Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan

MOST_PAIRS = 2_000
"""The most pairs of instances that are tried."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of a lint.

    Attributes:
        diagnostics: warnings.
        finished: every question was decided; otherwise there may be more to warn of.
        settings: whether each setting of a task that declares any tells what decides.
    """

    diagnostics: tuple[Diagnostic, ...]
    finished: bool
    settings: tuple[Sufficiency, ...] = ()


def sense(ground: Ground, *, limits: Limits = Limits()) -> LintReport:  # noqa: B008
    """Warn of rules that do nothing, or that cannot hold.

    Only rules and rows that the task's own document has are said to do nothing: those of a library serve other
    tasks, too. Contradictions are reported wherever the rules stand.

    Args:
        ground: the task.
        limits: the seconds hold for all questions together.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    clock, report = TimeBudget(limits), Report()
    settings: list[Sufficiency] = []
    try:
        with clock:
            finished = _sensed(ground, clock, report, settings)
    except LimitReachedError:
        finished = False
    return LintReport(report.ordered(), finished, tuple(settings))


def _sensed(ground: Ground, clock: TimeBudget, report: Report, settings: list[Sufficiency]) -> bool:
    """Report what can be found in time, and add what each setting tells; whether that is all."""
    made = _Sense(ground, relaxable(ground, bounds=False, background=True), clock)
    made.dates_outside(report)
    if made.feasible() is False:
        made.contradictions(report)
    else:
        made.idle_rules(report)
        made.useless_rows(report)
        made.rows_not_asked_for(report)
        made.soft_at_war(report)
        made.untold(report, settings)
        made.leaning_on_the_scope(report)
    return made.finished


@dataclass(slots=True)
class _Sense:
    ground: Ground
    made: Relaxable
    clock: TimeBudget
    finished: bool = True
    _outside: set[Row] = field(default_factory=set)
    _widest: list[_Sense | None] = field(default_factory=list)
    _session: Session = field(init=False)

    def __post_init__(self) -> None:
        self._session = named_backend("cpsat").open(self.made.lowered.problem, self.clock.limits)

    def _possible(self, *conditions: Bool) -> bool | None:
        """The conditions can hold together; None if that was not decided."""
        outcome = self.clock.ask(
            self._session, assumptions=[Rooted(c, str(i)) for i, c in enumerate(conditions) if c is not TRUE]
        )
        if outcome.status is Status.UNKNOWN:
            self.finished = False
            return None
        return outcome.found

    def feasible(self) -> bool | None:
        """All hard constraints can hold together."""
        return self._possible(*(c.condition for c in self.made.conditions))

    def _rules(self) -> Iterator[t.Constraint]:
        """The task's own hard constraints that apply."""
        applied = {i.constraint.id for i in self.ground.instances if i.applicable}
        for constraint in self.ground.task.constraints:
            planned = constraint.body.stage is not Stage.STATIC  # of the others grounding warns
            if constraint.hard and planned and self._own(constraint.span) and constraint.id in applied:
                yield constraint

    def _own(self, span: Span) -> bool:
        return span.source is self.ground.task.span.source

    # -- what does nothing ------------------------------------------------------------------------

    def idle_rules(self, report: Report) -> None:
        """Constraints that no plan violates, or none that satisfies the others, in the scope and beyond its bounds."""
        for constraint in self._rules():
            if self._never_denied(constraint, alone=True):
                report.warning(
                    "PS422", f"no plan violates `{constraint.id}`", constraint.span, "in the scope or beyond its bounds",
                )  # fmt: skip
            elif self._never_denied(constraint, alone=False):
                report.warning(
                    "PS421", f"`{constraint.id}` follows from the other constraints", constraint.span,
                    "without it there is no other plan, in the scope or beyond its bounds",
                )  # fmt: skip

    def _never_denied(self, constraint: t.Constraint, *, alone: bool) -> bool:
        """No plan violates an instance of a constraint, or none that satisfies all others.

        The rule may stand there for answers that the scope does not have, so plans beyond its bounds are asked for, too.
        """
        if not self._never(constraint, alone=alone):
            return False
        wider = self._beyond()
        return wider is not None and wider._never(constraint, alone=alone)

    def _never(self, constraint: t.Constraint, *, alone: bool) -> bool:
        """Likewise, of the plans in this scope."""
        own: list[Bool] = []
        others: list[Bool] = []
        for member, rooted in zip(self.made.members, self.made.conditions, strict=True):
            assert member.instance is not None
            (own if member.instance.constraint is constraint else others).append(rooted.condition)
        negate = self.made.lowered.problem.model.negate
        return all(self._possible(negate(one), *(() if alone else others)) is False for one in own)

    def _beyond(self) -> _Sense | None:
        """The same questions without the scope's bounds; None where that has no encoding."""
        if not self._widest:
            widest = widen_beyond(self.ground).ground
            try:
                self._widest.append(_Sense(widest, relaxable(widest, bounds=False), self.clock))
            except DiagnosticError:
                self._widest.append(None)
        return self._widest[0]

    def _alone_beyond(self, only: Plan) -> bool:
        """No plan but this one satisfies the constraints beyond the scope's bounds, as far as what was asked there says."""
        wider = self._widest[0] if self._widest else None
        if wider is None:
            return False
        lowered = wider.made.lowered
        # A wider scope opens more fields; plans are told apart as before.
        told_apart = replace(lowered.problem, identity=identity(self.ground))
        other = forbid_plan(replace(lowered, problem=told_apart), only)
        conditions = (rooted.condition for rooted in wider.made.conditions)
        return other is not None and wider._possible(other, *conditions) is False

    def useless_rows(self, report: Report) -> None:
        """Rows of the task's own tables that rules look up by a plan's row, and that no plan can use."""
        model = self.made.lowered.problem.model
        hard = [c.condition for c in self.made.conditions]
        for facts, lookups in _lookups(self.ground).items():
            spans = self._row_spans(facts)
            for row, span in zip(
                self.ground.task.facts[facts.name].rows if spans else (), spans or (), strict=True
            ):
                if row in self._outside:
                    continue
                uses = model.disj(self._looked_up(row, lookup, table) for lookup, table in lookups)
                if uses is FALSE or self._possible(uses, *hard) is False:
                    report.warning(
                        "PS424", f"no plan can use this row of `{facts.name}`", span,
                        "outside the scope" if uses is FALSE else "the hard constraints keep every plan from it",
                    )  # fmt: skip

    def _looked_up(self, row: Row, lookup: t.Lookup, table: Table) -> Bool:
        """Some row of the plan's table looks this row of facts up."""
        model = self.made.lowered.problem.model
        equal = Atoms(model, Algebra(model), self.made.lowered.coding).equal
        columns = [key.column.name for key in lookup.keys if isinstance(key, t.FieldOf)]
        parts = list(zip(columns, row._key, strict=False))
        slots = self.made.lowered.slots.by_table[table.name]
        return model.disj(
            model.conj((slot.present, *(equal(slot.fields[column], part) for column, part in parts)))
            for slot in slots
        )

    def rows_not_asked_for(self, report: Report) -> None:
        """Tables whose rows in scope must be there, while an answer without one of them can pass."""
        if self.ground.task.closed:
            return
        for name, rows in self.ground.rows.items():
            if not rows or rows[0].table.one or all(row.optional for row in rows):
                continue
            loose = {**self.ground.rows, name: tuple(replace(row, optional=True) for row in rows)}
            lowered = lower(replace(self.ground, rows=loose))
            model, slots = lowered.problem.model, lowered.slots.by_table[name]
            session = named_backend("cpsat").open(lowered.problem, self.clock.limits)
            missing = [
                model.negate(slot.present) for slot, row in zip(slots, rows, strict=True) if not row.optional
            ]
            outcome = self.clock.ask(session, assumptions=[Rooted(model.disj(missing), "one is missing")])
            self.finished &= outcome.status is not Status.UNKNOWN
            if outcome.found:
                plan = witness(lowered, outcome.values)
                left = f"{len(plan.tables[name])} of {len(rows)} rows"
                entry = next(row.entry for row in rows if not row.optional)
                report.warning(
                    "PS428", f"no constraint asks for every row of `{name}` in the scope", entry.span, f"an answer with {left} passes",
                    help="ask for them in a constraint, or write `closed: true`: then the scope's rows are law",
                )  # fmt: skip

    def untold(self, report: Report, settings: list[Sufficiency]) -> None:
        """Facts that decide, and that nothing tells agents under a setting which the task declares."""
        environment = self.ground.task.environment
        if not (environment.settings or environment.shows or environment.tools or environment.tells):
            return
        together = [
            Rooted(c.condition, str(i)) for i, c in enumerate(self.made.conditions) if c.condition is not TRUE
        ]
        outcome = self.clock.ask(self._session, assumptions=together)
        plans = [witness(self.made.lowered, outcome.values)] if outcome.found else []
        for found in sufficiency(self.ground, plans, self.clock):
            settings.append(found)
            self.finished &= found.finished
            for tool, call in found.broken.items():
                report.warning(
                    "PS431", f"a call of `{tool}` has no result under the setting `{found.setting}`", environment.tools[tool].span,
                    "fails", help=call,
                )  # fmt: skip
            if found.least is not None and found.allowed is not None and found.least.least > found.allowed:
                report.warning(
                    "PS432", f"{found.allowed} calls are too few under the setting `{found.setting}`", self._span_of(found.setting),
                    f"a plan turns on what takes {found.least} calls to learn", help=f"allow {found.least.enough or found.least.least} calls or more, or show more",
                )  # fmt: skip
            for fact in found.untold:
                report.warning(
                    "PS430", f"nothing tells agents `{fact.fact}` under the setting `{found.setting}`", self._place(fact.fact),
                    "read here", help=f"{fact.pair}: show it, or say under `tells` which words of the query do",
                )  # fmt: skip

    def _span_of(self, setting: str) -> Span:
        return self.ground.task.environment.settings[setting].span

    def _place(self, fact: HiddenName) -> Span:
        """Where the rules read a fact first."""
        for span in places_read(self.ground.task, fact):
            return span
        return self.ground.task.span.first_line

    def leaning_on_the_scope(self, report: Report) -> None:
        """Bounds of the scope without which a task has another plan than its only one."""
        found = validate(self.ground, backends=("cpsat",), limits=self.clock.rest)
        if (
            found.unique.status == "unique"
            and found.witness is not None
            and self._alone_beyond(found.witness)
        ):
            return
        there = beyond(self.ground, found, backends=("cpsat",), limits=self.clock.rest)
        self.finished &= found.unique.status != "unknown" and (there is None or there.minimal)
        if there is None or found.witness is None:
            return
        apart = identity(self.ground)
        for bound, plan in there.outside.items():
            changes = differences(self.ground.task, found.witness, plan)
            first = next(
                d for d in changes if d.table in apart and (d.field is None or d.field in apart[d.table])
            )
            report.warning(
                "PS429", f"that there is one plan alone leans on `{bound}`", there.spans[bound],
                f"without it also {first.place} {first.said}",
                help="say it in a constraint: the scope bounds the search, and never judges an answer",
            )  # fmt: skip

    def dates_outside(self, report: Report) -> None:
        """Rows of the task's own tables on a day on which the plan has no rows."""
        days: set[int] = set()
        for rows in self.ground.rows.values():
            for row in rows:
                days.update(_days(row))
        for table in self.ground.task.tables.values() if days else ():
            dated = [c.name for c in table.columns.values() if c.type is ScalarType.DATE]
            spans = None if table.plan or not dated else self._row_spans(table)
            for fact, span in zip(
                self.ground.task.facts[table.name].rows if spans else (), spans or (), strict=True
            ):
                for name in dated:
                    value = getattr(fact, name)
                    if value is not None and value not in days:
                        self._outside.add(fact)
                        report.warning(
                            "PS425", f"the plan has no rows on {show(value, ScalarType.DATE, None)}", span,
                            f"`{name}` of this row of `{table.name}`",
                        )  # fmt: skip

    def _row_spans(self, table: Table) -> list[Span] | None:
        """The places of a table's rows in the task's document; None if not all of them stand there."""
        root = compose(self.ground.task.span.source, Report())
        node: Node | None = root
        for name in ("tables", table.name):
            node = _entry(node, name)
        if isinstance(node, Mapping):
            node = _entry(node, "rows")
        if not isinstance(node, List) or len(node.items) != len(self.ground.task.facts[table.name].rows):
            return None
        return [item.span.first_line for item in node.items]

    # -- what cannot hold -------------------------------------------------------------------------

    def soft_at_war(self, report: Report) -> None:
        """Soft constraints that no plan meets."""
        hard = [c.condition for c in self.made.conditions]
        instances = {i.id: i for i in self.ground.instances}
        for rooted, weight in self.made.lowered.problem.soft:
            if self._possible(rooted.condition, *hard) is False:
                report.warning(
                    "PS426", f"no plan meets the soft `{rooted.origin}`", instances[rooted.origin].constraint.span,
                    f"its weight of {weight} is out of reach",
                )  # fmt: skip

    def contradictions(self, report: Report) -> None:
        """Instances that cannot hold, alone or in pairs; if there are none, that there is no plan all the same."""
        members, conditions = self.made.members, [c.condition for c in self.made.conditions]
        if self._possible() is False:  # then no rule is to blame
            self._shape(report)
            return
        alone = [i for i in range(len(members)) if self._possible(conditions[i]) is False]
        for i in alone:
            report.warning(
                "PS423", f"no plan in scope satisfies `{members[i].id}`", members[i].span, "cannot hold"
            )
        possible = [i for i in range(len(members)) if i not in alone]
        pairs = [(i, j) for k, i in enumerate(possible) for j in possible[k + 1 :]]
        self.finished &= len(pairs) <= MOST_PAIRS
        said = bool(alone)
        for i, j in pairs[:MOST_PAIRS]:
            if self._possible(conditions[i], conditions[j]) is False:
                said = True
                _contradiction(members[i], members[j], report)
        if not said:
            report.warning(
                "PS427", "no plan satisfies all hard constraints", self.ground.task.span,
                "no two of them contradict each other", help=f"`planspec why {self.ground.task.id}` says which do",
            )  # fmt: skip

    def _shape(self, report: Report) -> None:
        """The rows that the scope demands cannot all be there."""
        for member in shape_conflict(self.ground, self.clock):
            report.warning("PS427", "the scope's rows allow no plan", member.span, member.text)


def _contradiction(a: Member, b: Member, report: Report) -> None:
    report.warning(
        "PS423", f"`{a.id}` and `{b.id}` cannot both hold", b.span, "no plan in scope satisfies both",
        secondary=[Label(a.span, "the other one")],
    )  # fmt: skip


def _lookups(ground: Ground) -> dict[Table, list[tuple[t.Lookup, Table]]]:
    """All lookups in each table of facts, with the plan's table whose row they look it up by.

    A table that is asked in any other way, too, is left out: more rows than those may be of use.
    """
    found: dict[Table, list[tuple[t.Lookup, Table]]] = {}
    others: set[Table] = set()
    for node in every_node(ground.task):
        if isinstance(node, t.AllRows | t.RowNamed):
            others.add(node.table)
        elif isinstance(node, t.Lookup) and not node.table.plan:
            of = {_plan_row(key) for key in node.keys}
            table = of.pop() if len(of) == 1 else None
            if table is None:
                others.add(node.table)
            else:
                found.setdefault(node.table, []).append((node, ground.task.tables[table[0]]))
    return {facts: lookups for facts, lookups in found.items() if facts not in others}


def _plan_row(key: t.Expr) -> tuple[str, t.Binding | None] | None:
    """The plan's table and row that a key is a field of."""
    if not isinstance(key, t.FieldOf):
        return None
    row = key.row
    if isinstance(row, t.OnlyRow):
        return row.table.name, None
    if isinstance(row, t.Var) and isinstance(row.type, RowType) and row.stage is not Stage.STATIC:
        return row.type.table, row.binding
    return None


def _days(row: GroundRow) -> Iterator[int]:
    for name, domain in row.fields.items():
        if row.table.columns[name].type is ScalarType.DATE:
            if domain.interval is not None:
                yield from range(domain.interval[0], domain.interval[1] + 1, domain.interval[2])
            else:
                yield from domain.values or ()


def _entry(node: Node | None, name: str) -> Node | None:
    if not isinstance(node, Mapping):
        return None
    return next((value for key, value in node.entries if key.text == name), None)
