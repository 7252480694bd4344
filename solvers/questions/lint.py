"""Lint of a task with a solver, which finds mistakes that cannot be seen in the text of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import every_node
from planspec.dsl.model.types import RowType, ScalarType, Stage, Table
from planspec.dsl.model.value_text import show
from planspec.dsl.yaml.reader import Mapping, Node, compose
from planspec.dsl.yaml.reader import Sequence as List
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.problem import Lowered, identity, lower
from planspec.solvers.lowering.symbolic import Algebra
from planspec.solvers.questions.beyond_scope import beyond
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import Member, RelaxableTask, relaxable, shape_conflict
from planspec.solvers.questions.exclusion import forbid_plan
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.solvers.questions.sufficiency import Sufficiency, spans_of_reads, sufficiency
from planspec.solvers.questions.validation import Validation, validate
from planspec.solvers.questions.witness import refusal, witness
from planspec.verifiers.environment.query_text.findings import query_findings
from planspec.verifiers.meaning.differences import differences
from planspec.verifiers.meaning.ground import Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan

MAX_PAIRS = 2_000
"""Maximum number of pairs of constraint instances that are tested for contradictions."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result of checking a task for mistakes with a solver.

    Attributes:
        diagnostics: warnings.
        finished: whether all questions were decided; otherwise warnings may be missing.
        settings: for each setting that the task declares (texts and tools that agents get), whether it reveals to
            agents all facts that they need.
    """

    diagnostics: tuple[Diagnostic, ...]
    finished: bool
    settings: tuple[Sufficiency, ...] = ()


def lint_task(
    ground: Ground,
    *,
    limits: Limits = Limits(),  # noqa: B008
    validation: Validation | None = None,
    every_untold: bool = True,
    lowering: Callable[[Ground], Lowered] | None = None,
) -> LintReport:
    """Warn of rules without effect, rules that cannot hold, facts hidden from agents, and unexpected numbers of plans.

    Rules and rows without effect are reported only in the task's own document, because libraries also serve other
    tasks. Contradictions are reported in all documents.

    Args:
        ground: the task.
        limits: limits on all questions together.
        validation: result of `validate_claims` for the task; None if the claims have not been validated.
        every_untold: whether to report all facts that the query does not reveal; if not, only the first is reported.
        lowering: function that translates the task into a problem for solvers; None translates it anew. Pass the same
            `SharedLowering`, which caches its results, to all functions that need the problem of this task.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """
    clock, report = TimeBudget(limits), Report()
    settings: list[Sufficiency] = []
    unseen: set[HiddenName] = set()
    try:
        with clock:
            relax = partial(relaxable, ground, bounds=False, background=True)
            lint = _TaskLint(ground, relax, clock, validation, every_untold, lowering)
            finished = _lint(lint, report, settings, unseen)
    except LimitReachedError:
        finished = False
    for diagnostic in query_findings(ground.task, reported=unseen):
        report.add(diagnostic)
    return LintReport(report.ordered(), finished, tuple(settings))


def _lint(lint: _TaskLint, report: Report, settings: list[Sufficiency], unseen: set[HiddenName]) -> bool:
    """Run all checks of a task. Return whether everything was decided.

    Args:
        lint: the lint of the task.
        report: the report that gets the warnings.
        settings: list that gets the result for each declared setting (texts and tools for agents).
        unseen: set that gets the facts hidden from agents.
    """
    lint.report_dates_outside(report)
    if lint.feasible() is False:
        if lint.ground.task.expected != "infeasible":
            lint.report_contradictions(report)
    else:
        lint.report_idle_rules(report)
        lint.report_useless_rows(report)
        lint.report_rows_not_required(report)
        lint.report_impossible_soft(report)
        lint.report_untold(report, settings, unseen)
        lint.report_lazy_plan(report)
        lint.report_scope_dependence(report)
    return lint.finished


@dataclass
class _TaskLint:
    """The lint of one task. The task is translated for solvers only if `validation` does not answer every question.

    Attributes:
        ground: the task.
        relax: function that returns the task as a set of conditions that may each be dropped.
        clock: limit on all questions together.
        validation: result of `validate_claims`; None if the claims have not been validated.
        every_untold: whether to report all facts that the query does not reveal, or only the first.
        lowering: function that translates the task into a problem for solvers; None translates it anew.
        finished: whether all questions so far were decided.
    """

    ground: Ground
    relax: Callable[[], RelaxableTask]
    clock: TimeBudget
    validation: Validation | None = None
    every_untold: bool = True
    lowering: Callable[[Ground], Lowered] | None = None
    finished: bool = True
    _outside: set[Row] = field(default_factory=set)
    _widest: list[_TaskLint | None] = field(default_factory=list)

    @cached_property
    def relaxed(self) -> RelaxableTask:
        """The task as a set of conditions that may each be dropped."""
        return self.relax()

    @cached_property
    def _session(self) -> Session:
        return named_backend("cpsat").open(self.relaxed.lowered.problem, self.clock.limits)

    def _can_hold(self, *conditions: Bool) -> bool | None:
        """Return whether a plan with the shape that the scope requires can meet the conditions; None if undecided.

        The shape is the keys and the number of a table's rows.
        """
        outcome = self.clock.ask(
            self._session, assumptions=[Rooted(c, str(i)) for i, c in enumerate(conditions) if c is not TRUE]
        )
        if outcome.status is Status.UNKNOWN:
            self.finished = False
            return None
        return outcome.found

    def feasible(self) -> bool | None:
        """Return whether all hard constraints can hold together; None if undecided."""
        if self._proved_plan is not None:
            return True
        return self._can_hold(*(c.condition for c in self.relaxed.conditions))

    @property
    def _proved_plan(self) -> Plan | None:
        """The plan in `validation`; None if there is none, or if back ends contradict each other."""
        return None if self.validation is None or self.validation.disagreement else self.validation.witness

    def _rules(self) -> Iterator[t.Constraint]:
        """Yield the applicable hard constraints of the task's own document that depend on the plan."""
        applied = {i.constraint.id for i in self.ground.instances if i.applicable}
        for constraint in self.ground.task.constraints:
            # grounding already warns of rules that do not depend on the plan
            planned = constraint.body.stage is not Stage.STATIC
            if constraint.hard and planned and self._is_own(constraint.span) and constraint.id in applied:
                yield constraint

    def _is_own(self, span: Span) -> bool:
        return span.source is self.ground.task.span.source

    # -- rules and rows without effect ------------------------------------------------------------

    def report_idle_rules(self, report: Report) -> None:
        """Warn of constraints that no plan violates, and of constraints implied by the others.

        A constraint is reported only if this is proved both for plans in scope (with the rows and values that plans may
        have) and for plans with other values.
        """
        for constraint in self._rules():
            if self._is_idle(constraint, all_plans=True):
                report.warning(
                    "PS422",
                    f"no plan violates `{constraint.id}`",
                    constraint.span,
                    "in the scope or beyond its bounds",
                )
            elif self._is_idle(constraint, all_plans=False):
                report.warning(
                    "PS421",
                    f"`{constraint.id}` follows from the other constraints",
                    constraint.span,
                    "without it there is no other plan, in the scope or beyond its bounds",
                )

    def _is_idle(self, constraint: t.Constraint, *, all_plans: bool) -> bool:
        """Return whether it is proved that no plan violates a constraint, neither a plan in scope nor one outside it.

        A plan outside the scope has rows or values that the scope does not allow. These plans are considered because
        the purpose of the constraint may be to reject them.

        Args:
            constraint: the constraint.
            all_plans: whether to consider all plans. If not, only plans that satisfy the other constraints are
                considered.
        """
        if not self._is_idle_in_scope(constraint, all_plans=all_plans):
            return False
        wider = self._without_bounds()
        return wider is not None and wider._is_idle_in_scope(constraint, all_plans=all_plans)

    def _is_idle_in_scope(self, constraint: t.Constraint, *, all_plans: bool) -> bool:
        """Return whether it is proved that no plan in the scope of `ground` violates a constraint.

        Unless `all_plans`, only plans that satisfy the other constraints are considered.
        """
        own: list[Bool] = []
        others: list[Bool] = []
        for member, rooted in zip(self.relaxed.members, self.relaxed.conditions, strict=True):
            assert member.instance is not None
            (own if member.instance.constraint is constraint else others).append(rooted.condition)
        negate = self.relaxed.lowered.problem.model.negate
        return all(self._can_hold(negate(one), *(() if all_plans else others)) is False for one in own)

    def _without_bounds(self) -> _TaskLint | None:
        """Return a lint of the task in which plans may have values outside the scope; None if it has no encoding."""
        if not self._widest:
            widest = widen_beyond(self.ground).ground
            try:
                relaxed = relaxable(widest, bounds=False)
                self._widest.append(_TaskLint(widest, lambda: relaxed, self.clock))
            except DiagnosticError:
                self._widest.append(None)
        return self._widest[0]

    def _is_only_plan_beyond(self, only: Plan) -> bool:
        """Return whether it is proved that `only` is still the only plan if other rows and values are allowed.

        Return False, too, if the task without bounds cannot be encoded.
        """
        wider = self._widest[0] if self._widest else None
        if wider is None:
            return False
        lowered = wider.relaxed.lowered
        # In a wider scope, more columns can differ between plans, but plans are compared only in the columns that
        # distinguish them in the task's own scope.
        problem = replace(lowered.problem, identity=identity(self.ground))
        other = forbid_plan(replace(lowered, problem=problem), only)
        conditions = (rooted.condition for rooted in wider.relaxed.conditions)
        return other is not None and wider._can_hold(other, *conditions) is False

    def report_useless_rows(self, report: Report) -> None:
        """Warn of rows of facts that no plan can use, in tables that rules only look up by a key.

        Only rows in the task's own document are reported, because libraries also serve other tasks.
        """
        for facts, lookups in _lookups_by_table(self.ground).items():
            spans = self._row_spans(facts)
            if not spans:
                continue
            model, hard = self.relaxed.lowered.problem.model, [c.condition for c in self.relaxed.conditions]
            for row, span in zip(self.ground.task.facts[facts.name].rows, spans, strict=True):
                if row in self._outside:
                    continue
                uses = model.disj(self._is_looked_up(row, lookup, table) for lookup, table in lookups)
                if uses is FALSE or self._can_hold(uses, *hard) is False:
                    report.warning(
                        "PS424",
                        f"no plan can use this row of `{facts.name}`",
                        span,
                        "outside the scope" if uses is FALSE else "the hard constraints exclude it from every plan",
                    )

    def _is_looked_up(self, row: Row, lookup: t.Lookup, table: Table) -> Bool:
        """Return the condition that some row of the plan table `table` looks up a given row of facts.

        `lookup` is the expression that looks up rows of facts by fields of that plan table.
        """
        model = self.relaxed.lowered.problem.model
        equal = Atoms(model, Algebra(model), self.relaxed.lowered.coding).equal
        columns = [key.column.name for key in lookup.keys if isinstance(key, t.FieldOf)]
        parts = list(zip(columns, row._key, strict=False))
        slots = self.relaxed.lowered.slots.by_table[table.name]
        return model.disj(
            model.conj((slot.present, *(equal(slot.fields[column], part) for column, part in parts))) for slot in slots
        )

    def report_rows_not_required(self, report: Report) -> None:
        """Warn of plan tables with rows that the scope requires, although answers without them can pass."""
        if self.ground.task.closed:
            return
        for name, rows in self.ground.rows.items():
            if not rows or rows[0].table.one or all(row.optional for row in rows):
                continue
            optional_rows = {**self.ground.rows, name: tuple(replace(row, optional=True) for row in rows)}
            lowered = lower(replace(self.ground, rows=optional_rows))
            model, slots = lowered.problem.model, lowered.slots.by_table[name]
            session = named_backend("cpsat").open(lowered.problem, self.clock.limits)
            missing = [model.negate(slot.present) for slot, row in zip(slots, rows, strict=True) if not row.optional]
            outcome = self.clock.ask(session, assumptions=[Rooted(model.disj(missing), "one is missing")])
            self.finished &= outcome.status is not Status.UNKNOWN
            if outcome.found:
                plan = witness(lowered, outcome.values)
                part = f"{len(plan.tables[name])} of {len(rows)} rows"
                entry = next(row.entry for row in rows if not row.optional)
                report.warning(
                    "PS428",
                    f"no constraint asks for every row of `{name}` in the scope",
                    entry.span,
                    f"an answer with {part} passes",
                    help="ask for them in a constraint, or write `closed: true`: then the scope's rows are binding",
                )

    def report_lazy_plan(self, report: Report) -> None:
        """Warn if an empty plan passes. With a `max_gap`, this depends on the best plan, so there is no warning."""
        task = self.ground.task
        empty = Plan({table.name: () for table in task.plan_tables})
        if task.expected == "infeasible" or task.max_gaps or refusal(self.ground, empty) is not None:
            return
        tables = ", ".join(f'"{table.name}": []' for table in task.plan_tables)
        report.warning(
            "PS440",
            "a plan without any row passes",
            task.place,
            f"{{{tables}}} passes",
            help="ask in a constraint for what the query asks for, such as `hard: count(v for v in visits) >= 1`",
        )

    def _found_plans(self) -> list[Plan]:
        """Return a list of one plan that satisfies the hard constraints; empty if no plan is found in time."""
        constraints = [
            Rooted(c.condition, str(i)) for i, c in enumerate(self.relaxed.conditions) if c.condition is not TRUE
        ]
        outcome = self.clock.ask(self._session, assumptions=constraints)
        return [witness(self.relaxed.lowered, outcome.values)] if outcome.found else []

    def report_untold(self, report: Report, settings: list[Sufficiency], unseen: set[HiddenName]) -> None:
        """Warn of facts that a constraint needs but that a setting (texts and tools for agents) does not reveal.

        Args:
            report: the report that gets the warnings.
            settings: list that gets the result for each declared setting.
            unseen: set that gets the hidden facts.
        """
        environment = self.ground.task.environment
        declared = environment.settings or environment.shows or environment.tools or environment.tells
        if not declared and self.ground.task.family is not None:
            return  # settings of the task's family reveal the facts
        plans = [self._proved_plan] if self._proved_plan is not None else self._found_plans()
        every = bool(declared) or self.every_untold
        for result in sufficiency(self.ground, plans, self.clock, every=every, lowering=self.lowering):
            if declared:
                settings.append(result)
            self.finished &= result.finished
            # if not every fact was examined, one hidden column stands for its whole table
            unseen.update(fact.fact if every else HiddenName(fact.fact.name) for fact in result.untold)
            for tool, call in result.broken.items():
                report.warning(
                    "PS431",
                    f"a call of `{tool}` has no result under the setting `{result.setting}`",
                    environment.tools[tool].span,
                    "fails",
                    help=call,
                )
            if result.least is not None and result.allowed is not None and result.least.least > result.allowed:
                report.warning(
                    "PS432",
                    f"{result.allowed} calls are too few under the setting `{result.setting}`",
                    self._span_of(result.setting),
                    f"learning all that a plan depends on takes {result.least} calls",
                    help=f"allow {result.least.enough or result.least.least} calls or more, or show more",
                )
            if not declared and result.untold:
                names = [f"`{fact.fact}`" for fact in result.untold]
                report.warning(
                    "PS430",
                    f"nothing tells agents {', '.join(names)}{'' if every else ', and perhaps other facts'}",
                    self.ground.task.place,
                    "no `environment:`, so agents get the query alone",
                    help=f"{result.untold[0].pair}; show such facts, or quote the query's words for them under `tells`",
                )
                continue
            for fact in result.untold:
                report.warning(
                    "PS430",
                    f"nothing tells agents `{fact.fact}` under the setting `{result.setting}`",
                    self._span_of_fact(fact.fact),
                    "read here",
                    help=f"{fact.pair}; show it, or quote the query's words for it under `tells`",
                )

    def _span_of(self, setting: str) -> Span:
        return self.ground.task.environment.settings[setting].span

    def _span_of_fact(self, fact: HiddenName) -> Span:
        """Return the first place where the rules read a fact."""
        for span in spans_of_reads(self.ground.task, fact):
            return span
        return self.ground.task.place

    def report_scope_dependence(self, report: Report) -> None:
        """Warn of bounds of the scope (limits on values or rows) without which there is a second plan.

        Also warn if the number of plans is not the one that the task expects.
        """
        validation = self.validation or validate(self.ground, backends=("cpsat",), limits=self.clock.rest)
        self._report_unexpected(validation, report)
        if (
            validation.unique.status == "unique"
            and validation.witness is not None
            and self._is_only_plan_beyond(validation.witness)
        ):
            return
        result = beyond(self.ground, validation, backends=("cpsat",), limits=self.clock.rest)
        self.finished &= validation.unique.status != "unknown" and (result is None or result.minimal)
        if result is None or validation.witness is None:
            return
        identities = identity(self.ground)
        for bound, plan in result.outside.items():
            changes = differences(self.ground.task, validation.witness, plan)
            first = next(
                d for d in changes if d.table in identities and (d.field is None or d.field in identities[d.table])
            )
            report.warning(
                "PS429",
                f"uniqueness leans on `{bound}`",
                result.spans[bound],
                f"without it also {first}",
                help="state it in a constraint: the scope limits the search and judges no answer",
            )

    def _report_unexpected(self, validation: Validation, report: Report) -> None:
        """Warn if a task expected to be infeasible has a plan, or a task expected to be unique has several."""
        task = self.ground.task
        several = validation.unique.status == "multiple"
        if validation.feasible.status != "feasible" or not (
            task.expected == "infeasible" or (task.expected == "unique" and several)
        ):
            return
        found = "there is a plan" if task.expected == "infeasible" else "there are several plans"
        report.warning(
            "PS436",
            f"{'no plan' if task.expected == 'infeasible' else 'one plan'} is expected, and {found}",
            task.place,
            f"expected {task.expected}",
            help=f"`planspec validate {task.id}` shows what differs"
            if several
            else f"`planspec solve {task.id}` shows it",
        )

    def report_dates_outside(self, report: Report) -> None:
        """Warn of rows of facts with a date on which the plan cannot have rows.

        Only rows in the task's own document are reported, because libraries also serve other tasks.
        """
        days: set[int] = set()
        for rows in self.ground.rows.values():
            for row in rows:
                days.update(_days(row))
        for table in self.ground.task.tables.values() if days else ():
            dated = [c.name for c in table.columns.values() if c.type is ScalarType.DATE]
            spans = None if table.plan or not dated else self._row_spans(table)
            for fact, span in zip(self.ground.task.facts[table.name].rows if spans else (), spans or (), strict=True):
                for name in dated:
                    value = getattr(fact, name)
                    if value is not None and value not in days:
                        self._outside.add(fact)
                        report.warning(
                            "PS425",
                            f"the plan has no rows on {show(value, ScalarType.DATE, None)}",
                            span,
                            f"`{name}` of this row of `{table.name}`",
                        )

    def _row_spans(self, table: Table) -> list[Span] | None:
        """Return the places of a table's rows in the task's own document; None if some rows are in other documents."""
        root = compose(self.ground.task.span.source, Report())
        node: Node | None = root
        for name in ("tables", table.name):
            node = _entry_node(node, name)
        if isinstance(node, Mapping):
            node = _entry_node(node, "rows")
        if not isinstance(node, List) or len(node.items) != len(self.ground.task.facts[table.name].rows):
            return None
        return [item.span.first_line for item in node.items]

    # -- rules that cannot hold -------------------------------------------------------------------

    def report_impossible_soft(self, report: Report) -> None:
        """Warn of soft constraints that no plan satisfies."""
        if all(instance.constraint.hard for instance in self.ground.instances):
            return
        hard = [c.condition for c in self.relaxed.conditions]
        instances = {i.id: i for i in self.ground.instances}
        for rooted, weight in self.relaxed.lowered.problem.soft:
            if self._can_hold(rooted.condition, *hard) is False:
                report.warning(
                    "PS426",
                    f"no plan meets the soft `{rooted.origin}`",
                    instances[rooted.origin].constraint.span,
                    f"no plan gains its weight of {weight}",
                )

    def report_contradictions(self, report: Report) -> None:
        """Warn of the contradictions in a task that is proved to have no plan.

        Contradictions are constraint instances that cannot hold, singly or in pairs, and required rows that cannot all
        be present. If none is found, only warn that no plan satisfies all hard constraints.
        """
        members, conditions = self.relaxed.members, [c.condition for c in self.relaxed.conditions]
        if self._can_hold() is False:  # there is no plan even without rules
            self._report_impossible_shape(report)
            return
        all_plans = [i for i in range(len(members)) if self._can_hold(conditions[i]) is False]
        for i in all_plans:
            report.warning("PS423", f"no plan in scope satisfies `{members[i].id}`", members[i].span, "cannot hold")
        possible = [i for i in range(len(members)) if i not in all_plans]
        pairs = [(i, j) for k, i in enumerate(possible) for j in possible[k + 1 :]]
        self.finished &= len(pairs) <= MAX_PAIRS
        reported = bool(all_plans)
        for i, j in pairs[:MAX_PAIRS]:
            if self._can_hold(conditions[i], conditions[j]) is False:
                reported = True
                _report_contradiction(members[i], members[j], report)
        if not reported:
            report.warning(
                "PS427",
                "no plan satisfies all hard constraints",
                self.ground.task.place,
                "no two of them contradict each other",
                help=f"`planspec why {self.ground.task.id}` says which do",
            )

    def _report_impossible_shape(self, report: Report) -> None:
        """Warn that the rows required by the scope cannot all be present."""
        for member in shape_conflict(self.ground, self.clock):
            report.warning("PS427", "the scope's rows allow no plan", member.span, member.text)


def _report_contradiction(a: Member, b: Member, report: Report) -> None:
    report.warning(
        "PS423",
        f"`{a.id}` and `{b.id}` cannot both hold",
        b.span,
        "no plan in scope satisfies both",
        secondary=[Label(a.span, "the other one")],
    )


def _lookups_by_table(ground: Ground) -> dict[Table, list[tuple[t.Lookup, Table]]]:
    """Map each table of facts to its lookups. Each lookup is paired with the plan table that provides its keys.

    Tables that rules also read without a lookup are left out, because their other rows may be needed.
    """
    by_table: dict[Table, list[tuple[t.Lookup, Table]]] = {}
    others: set[Table] = set()
    for node in every_node(ground.task):
        if isinstance(node, t.AllRows | t.RowNamed):
            others.add(node.table)
        elif isinstance(node, t.Lookup) and not node.table.plan:
            owners = {_plan_row(key) for key in node.keys}
            table = owners.pop() if len(owners) == 1 else None
            if table is None:
                others.add(node.table)
            else:
                by_table.setdefault(node.table, []).append((node, ground.task.tables[table[0]]))
    return {facts: lookups for facts, lookups in by_table.items() if facts not in others}


def _plan_row(key: t.Expr) -> tuple[str, t.Binding | None] | None:
    """Return the plan table and the row variable of a key such as `v.place`; None for other expressions."""
    if not isinstance(key, t.FieldOf):
        return None
    row = key.row
    if isinstance(row, t.OnlyRow):
        return row.table.name, None
    if isinstance(row, t.Var) and isinstance(row.type, RowType) and row.stage is not Stage.STATIC:
        return row.type.table, row.binding
    return None


def _days(row: GroundRow) -> Iterator[int]:
    """Yield the dates that the fields of a row in scope allow, as ordinals (day 1 is January 1 of year 1)."""
    for name, domain in row.fields.items():
        if row.table.columns[name].type is ScalarType.DATE:
            if domain.interval is not None:
                yield from range(domain.interval[0], domain.interval[1] + 1, domain.interval[2])
            else:
                yield from domain.values or ()


def _entry_node(node: Node | None, name: str) -> Node | None:
    if not isinstance(node, Mapping):
        return None
    return next((value for key, value in node.entries if key.text == name), None)
