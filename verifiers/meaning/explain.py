"""Explanations of the outcomes of constraint instances: message, margin and responsible plan rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.intervals import outermost_intervals
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import Table
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.limits import EXPLAINING_STEPS
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.interpret import Env, comparable, compare
from planspec.verifiers.meaning.interval_details import IntervalDetails
from planspec.verifiers.meaning.margin import (
    Margin,
    Measure,
    Measured,
    Unmeasured,
    conjunction_margin,
    margin_in_finding,
    unit_of,
)
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.prebuilt_findings import finding_without_details, one_line
from planspec.verifiers.meaning.provenance import ProvenanceInterpreter
from planspec.verifiers.meaning.verdict import Finding, RowRef, row_ref

Atom: TypeAlias = tuple[t.Expr, Env]
"""A test without Boolean parts in a constraint, such as `v.start >= 9:00`, with the values of its variables."""
MAX_CACHED_REFERENCES = 10_000
"""Maximum number of cached references to rows of a task."""
MAX_LISTED_MEMBERS = 8
"""Maximum number of members of a set that a message lists."""

_UNMEASURED: Kind[tuple[Instance, int | None], Finding] = Kind(
    "findings of instances that hold by no amount, by the turn that introduced them"
)
_REFERENCES: Kind[tuple[Table, object], RowRef] = Kind("names of rows")


def explain(ground: Ground, instance: Instance, plan: Plan, holds: bool) -> Finding:
    """Return the finding of an instance with its details.

    Args:
        ground: the task.
        instance: an instance of the task.
        plan: the judged plan.
        holds: whether the instance's condition is true on the plan; ignored if the instance does not apply.
    """
    return with_details(ground, instance, plan, finding_without_details(instance, holds))


def with_details(ground: Ground, instance: Instance, plan: Plan, brief: Finding) -> Finding:
    """Return the finding of an instance with its details.

    Args:
        ground: the task.
        instance: an instance of the task.
        plan: the judged plan.
        brief: finding without details, which says whether the instance holds.
    """
    return Explainer(ground, plan).with_details(instance, brief)


class Explainer:
    """Explainer of the findings on one plan.

    Args:
        ground: the task.
        plan: the judged plan.
        faster: function that creates a faster interpreter, which needs fewer steps than the plain one and has the
            step limit of explanations; None to use only the plain interpreter.
        at_once: whether to use the faster interpreter from the start. Otherwise, the faster interpreter replaces the
            plain one when the plain one reaches its step limit.
    """

    def __init__(
        self,
        ground: Ground,
        plan: Plan,
        faster: Callable[[], CachingInterpreter] | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        self._plan = plan
        self._currency = ground.task.currency
        self._settled = ground.interpreter.static.of(_UNMEASURED)
        self._references = ground.interpreter.static.of(_REFERENCES)
        self._faster = faster
        if at_once and faster is not None:
            self._faster = None
            self._use_interpreter(faster())
        else:
            self._use_interpreter(CachingInterpreter(ground.interpreter.on(plan, Meter(EXPLAINING_STEPS)), plan))

    def _use_interpreter(self, interpreter: CachingInterpreter) -> None:
        self._interpreter = interpreter
        self._measure = Measure(interpreter)
        self._intervals = IntervalDetails(interpreter)
        self._witness = ProvenanceInterpreter(interpreter, self._plan)

    def with_details(self, instance: Instance, brief: Finding) -> Finding:
        """Return the finding of an instance with details, or without them if they take too many steps.

        Args:
            instance: an instance of the task.
            brief: finding without details; its status is that of the instance.

        Returns:
            The finding, with its margin if there is one. The message for a violated instance has the plan's values;
            the finding also has the expression that was *none*, and the responsible plan rows. The message for a
            satisfied instance is the constraint's text, because the author's message describes a violation.
        """
        if not instance.applicable:
            return brief
        holds = brief.status == "satisfied"
        try:
            return self._explain_satisfied(instance, brief) if holds else self._explain_violated(instance, brief)
        except StepLimitError:
            if self._faster is not None:
                self._use_interpreter(self._faster())
                self._faster = None
                return self.with_details(instance, brief)
            outcome = "holds" if holds else "does not hold, and takes too many steps to explain"
            return replace(brief, message=f"{one_line(instance.constraint.body.span.text)} {outcome}")

    def _explain_satisfied(self, instance: Instance, brief: Finding) -> Finding:
        key = instance, brief.since
        cached = self._settled.get(key)
        if cached is not None:
            return cached
        constraint = instance.constraint
        margin, unit = margin_in_finding(self.margin(constraint, instance.env, holds=True))
        finding = brief.with_details(f"{one_line(constraint.body.span.text)} holds", margin, unit)
        if constraint.margin is None and not self._measure.can_measure(constraint.body):
            self._settled[key] = finding
        return finding

    def _explain_violated(self, instance: Instance, brief: Finding) -> Finding:
        constraint, env = instance.constraint, instance.env
        margin, unit = margin_in_finding(self.margin(constraint, env, holds=False))
        atoms = tuple(self.atoms(constraint.body, env, holds=False))
        message = self.message(constraint, env, atoms[0])
        none = self.none_in_test(constraint.body, env)
        return brief.with_details(message, margin, unit, none, self.rows_to_blame(atoms))

    # -- parts that decide the outcome --------------------------------------------------------------

    def atoms(self, expr: t.Expr, env: Env, *, holds: bool) -> Iterator[Atom]:
        """Yield the tests that decide the value of a Boolean expression, in order of evaluation.

        Args:
            expr: the expression.
            env: values of its variables.
            holds: value of the expression.
        """
        interpreter = self._interpreter
        match expr:
            case t.Logic(op="implies"):
                left, right = expr.operands
                if holds and not interpreter.holds(left, env):
                    yield from self.atoms(left, env, holds=False)
                else:
                    yield from self.atoms(right, env, holds=holds)
            case t.Logic():
                is_settled = holds == (expr.op == "or")  # a true operand decides an `or`, and a false one an `and`
                parts = (part for part in expr.operands if is_settled and interpreter.holds(part, env) == holds)
                first = next(parts, None)
                for part in expr.operands if first is None else (first,):
                    yield from self.atoms(part, env, holds=holds)
            case t.Not():
                yield from self.atoms(expr.operand, env, holds=not holds)
            case t.Aggregate(function="all" | "any"):
                bound = False
                for inner in self._deciding_bindings(expr, env, holds=holds):
                    bound = True
                    yield from self.atoms(expr.body, inner, holds=holds)
                if not bound:
                    yield expr, env
            case t.Apply():
                given = interpreter.arguments(expr, env)
                if given is None:
                    yield expr, env
                else:
                    yield from self.atoms(expr.definition.body, given, holds=holds)
            case t.Conditional():
                taken = expr.then if interpreter.holds(expr.condition, env) else expr.otherwise
                yield from self.atoms(taken, env, holds=holds)
            case (
                t.Aggregate()
                | t.Intervals()
                | t.Compare()
                | t.InSet()
                | t.IsNone()
                | t.IsUnknown()
                | t.Literal()
                | t.Var()
                | t.GivenRef()
                | t.FieldOf()
                | t.Call()
                | t.Coalesce()
                | t.RowNamed()
                | t.Lookup()
                | t.OnlyRow()
                | t.Negate()
                | t.Arith()
                | t.SetLiteral()
                | t.SetOf()
                | t.RangeOf()
                | t.AllRows()
                | t.AllMembers()
                | t.Steps()
            ):
                yield expr, env
            case _:
                assert_never(expr)

    def _deciding_bindings(self, expr: t.Aggregate, env: Env, *, holds: bool) -> Iterable[dict[t.Binding, Any]]:
        """Return the bindings that decide whether an `all` or `any` is true. `holds` is the value of the aggregate."""
        if holds != (expr.function == "any"):  # only all bindings together decide a true `all` or a false `any`
            return self._interpreter.bindings(expr.clauses, env)
        return (inner for inner, holding in self._terms(expr, env) if holding == holds)

    def _terms(self, expr: t.Aggregate, env: Env) -> Iterator[tuple[dict[t.Binding, Any], Any]]:
        """Yield the bindings of an aggregate, each paired with the value of its body."""
        return ((inner, value) for inner, (value,) in self._interpreter.cases(expr.clauses, (expr.body,), env))

    def rows_to_blame(self, atoms: Iterable[Atom]) -> tuple[RowRef, ...]:
        """Return the plan rows responsible for a violation: those that the failing tests read.

        Args:
            atoms: the failing tests.
        """
        witness = self._witness
        witness.seen = {}
        for atom, env in atoms:
            intervals = outermost_intervals(atom)
            if isinstance(atom, t.Aggregate) and atom.function == "all_different":
                self._blame(self._failing_bindings(atom, env))
                continue
            if intervals is not None:
                self._blame(run.env for run in self._intervals.deciding_runs(intervals, env))
                continue
            new = (value for value in env.values() if isinstance(value, Row) and value._table.plan)
            witness.seen.update(dict.fromkeys(new))
            witness.read(atom, env)
        return tuple(map(self._reference, witness.seen))

    def _blame(self, bindings: Iterable[Env]) -> None:
        """Record the plan rows in bindings as responsible for the violation."""
        rows = (value for inner in bindings for value in inner.values() if isinstance(value, Row))
        self._witness.seen.update(dict.fromkeys(row for row in rows if row._table.plan))

    def _failing_bindings(self, expr: t.Aggregate, env: Env) -> Iterable[Env]:
        """Return the bindings of an `all_different` whose terms are *none* or equal to another term."""
        groups: dict[Any, list[Env]] = {}
        for inner, term in self._terms(expr, env):
            groups.setdefault(frozenset(term) if isinstance(term, tuple) else term, []).append(inner)
        return [inner for term, bindings in groups.items() if term is None or len(bindings) > 1 for inner in bindings]

    def _reference(self, row: Row) -> RowRef:
        """Return the reference to a row for a finding. It is cached, since plans for a task share many keys."""
        key = (row._table, row._key or row._index)
        reference = self._references.get(key)
        if reference is None:
            if len(self._references) >= MAX_CACHED_REFERENCES:
                self._references.clear()
            reference = self._references[key] = row_ref(row, self._currency)
        return reference

    # -- parts that are none ----------------------------------------------------------------------------

    def none_in_test(self, body: t.Expr, env: Env) -> str | None:
        """Return the text of the first expression whose value *none* made a test fail.

        Return None if no such expression exists. If the constraint is an `all`, only its first failing binding is
        searched, since the message describes it.
        """
        while isinstance(body, t.Apply) and (given := self._interpreter.arguments(body, env)) is not None:
            body, env = body.definition.body, given
        if isinstance(body, t.Aggregate) and body.function == "all":
            body, env = body.body, self._with_failing_bindings(body, env)
        for atom, inner in self.atoms(body, env, holds=False):
            cause = self._cause_in_test(atom, inner)
            if cause is not None:
                return self._none_text(cause, inner)
        return None

    def _none_text(self, missing: t.Expr, env: Env) -> str:
        """Return the text of an expression that is *none*. A lookup without a row is shown with its key's values."""
        bound = set(self._interpreter.free_variables_of(missing))
        if isinstance(missing, t.Lookup) and bound and bound <= env.keys():
            keys = (show(self._interpreter.value(key, env), key.type, self._currency) for key in missing.keys)
            return f"{missing.table.name}[{', '.join(keys)}]"
        return one_line(missing.span.text)

    def _cause_in_test(self, atom: t.Expr, env: Env) -> t.Expr | None:
        match atom:
            case t.Compare(operands=parts) | t.Call(args=parts):
                return self._first_none(parts, env)
            case t.InSet(collection=t.RangeOf(low=low, high=high)):
                return self._first_none((atom.item, low, high), env)
            case t.InSet():
                return self._first_none((atom.item, atom.collection), env)
            case t.Apply():
                return self._first_none(_strict_arguments(atom), env)
            case t.FieldOf():
                row = self._interpreter.value(atom.row, env)
                if row is None:
                    return self._cause_of_none(atom.row, env)
                return atom if getattr(row, atom.column.name) is None else None
            case t.Aggregate(function="all_different"):
                return self._none_term(atom, env)
            case t.Intervals():
                return self._none_in_runs(atom, env)
            case t.Var():
                return atom if env[atom.binding] is None else None
            case t.GivenRef():
                return atom if self._interpreter.task.givens[atom.given.name] is None else None
            case _:
                return None

    def _first_none(self, parts: Iterable[t.Expr], env: Env) -> t.Expr | None:
        missing = next((part for part in parts if self._interpreter.value(part, env) is None), None)
        return None if missing is None else self._cause_of_none(missing, env)

    def _none_term(self, expr: t.Aggregate, env: Env) -> t.Expr | None:
        missing = next((inner for inner, term in self._terms(expr, env) if term is None), None)
        return None if missing is None else self._cause_of_none(expr.body, missing)

    def _none_in_runs(self, expr: t.Intervals, env: Env) -> t.Expr | None:
        """Return the start, end or amount that is *none* and makes a `no_overlap` false or a `peak` *none*."""
        for run in (run for runs in self._interpreter.runs(expr, env) for run in runs):
            parts = (expr.start, expr.end) if expr.function == "no_overlap" else (expr.start, expr.end, expr.body)
            missing = self._first_none(parts, run.env)
            if missing is not None:
                return missing
        return None

    def _cause_of_none(self, expr: t.Expr, env: Env) -> t.Expr:
        """Return the innermost part whose value *none* makes an expression *none*.

        Return `expr` itself if no part is *none*.
        """
        interpreter = self._interpreter
        match expr:
            case t.FieldOf(row=part) | t.Negate(operand=part) | t.Coalesce(right=part):
                return self._first_none((part,), env) or expr
            case t.Lookup(keys=parts) | t.Call(args=parts) | t.SetLiteral(items=parts):
                return self._first_none(parts, env) or expr
            case t.Arith():
                return self._first_none((expr.left, expr.right), env) or expr
            case t.RangeOf():
                ends = (expr.low, expr.high) if expr.step is None else (expr.low, expr.high, expr.step)
                return self._first_none(ends, env) or expr
            case t.Conditional():
                taken = expr.then if interpreter.holds(expr.condition, env) else expr.otherwise
                return self._cause_of_none(taken, env)
            case t.Apply():
                inner = interpreter.arguments(expr, env)
                if inner is None:
                    return self._first_none(_strict_arguments(expr), env) or expr
                return self._cause_of_none(expr.definition.body, inner)
            case t.Aggregate(function="first" | "last"):
                chosen = interpreter.extreme(expr, env)
                return expr if chosen is None else self._cause_of_none(expr.body, chosen)
            case t.Intervals():
                return self._none_in_runs(expr, env) or expr
            case t.Aggregate():
                several = expr.function == "the" and len(list(interpreter.bindings(expr.clauses, env))) > 1
                return (None if several else self._none_term(expr, env)) or expr
            case _:
                return expr

    # -- margin -----------------------------------------------------------------------------------

    def margin(self, constraint: t.Constraint, env: Env, *, holds: bool) -> Margin:
        """Return the margin of a constraint: the declared one or, if none is declared, the one from its structure."""
        declared = constraint.margin
        if declared is None:
            return self._measure.margin(constraint.body, env, holds=holds)
        outermost = constraint.body
        envs: Iterable[Env] = (env,)
        if isinstance(outermost, t.Aggregate) and _targets(outermost) & set(
            self._interpreter.free_variables_of(declared)
        ):
            envs = self._interpreter.bindings(outermost.clauses, env)
        intervals = outermost_intervals(outermost)
        if intervals is not None and set(intervals.shown) & set(self._interpreter.free_variables_of(declared)):
            envs = self._intervals.shown_bindings(intervals, env)
        unit = unit_of(declared.type, self._currency) or "1"
        amounts = [self._interpreter.value(declared, inner) for inner in envs]
        return conjunction_margin(
            Unmeasured(holds=False) if amount is None else Measured(amount, unit) for amount in amounts
        )

    # -- message ----------------------------------------------------------------------------------

    def message(self, constraint: t.Constraint, env: Env, first: Atom) -> str:
        """Return the message for a violation.

        It is the author's message of the constraint or of the predicate that it calls. Without either, it is the
        constraint's text with the values of the first failing test.

        Args:
            constraint: the violated constraint.
            env: variables of the instance.
            first: the first failing test.
        """
        parts, body, inner = constraint.message, constraint.body, env
        while parts is None and isinstance(body, t.Apply):
            definition = body.definition
            values = [self._interpreter.value(arg, inner) for arg in body.args]
            inner = dict(zip(definition.params, values, strict=True))
            parts, body = definition.message, definition.body
        filled = None if parts is None else self._filled_message(parts, self._with_failing_bindings(body, inner))
        if filled is not None:
            return filled
        return f"{one_line(constraint.body.span.text)} does not hold{self._values(constraint.body, env, first)}"

    def _with_failing_bindings(self, body: t.Expr, env: Env) -> Env:
        """Return `env` with the variables that a message may use: those of the first failure.

        For an `all` or `all_different`, they are its variables in the first failing binding. For a `no_overlap`, they
        are the rows of the first overlap, and for a `peak` its moment. Other constraints have no such variables.
        """
        intervals = outermost_intervals(body)
        if intervals is not None:
            return next(self._intervals.shown_bindings(intervals, env, failing=True), env)
        if not isinstance(body, t.Aggregate) or body.function not in ("all", "all_different"):
            return env
        if body.function == "all_different":
            return next(self._repeated_bindings(body, env), env)
        return next((inner for inner, holding in self._terms(body, env) if not holding), env)

    def _repeated_bindings(self, expr: t.Aggregate, env: Env) -> Iterator[Env]:
        """Yield the bindings of an `all_different` whose terms are *none* or equal to an earlier term."""
        seen: set[Any] = set()
        for inner, value in self._terms(expr, env):
            term = comparable(value, expr.body.type)
            if term is None or term in seen:
                yield inner
            seen.add(term)

    def _values(self, body: t.Expr, env: Env, first: Atom) -> str:
        """Return the end of a message: `: 1h45min against 1h30min where v = museum`, empty if no values are known.

        `first` is the first failing test of the constraint's `body`.
        """
        atom, inner = first
        missing = self._cause_in_test(atom, inner)
        if isinstance(atom, t.Intervals):
            text = self._intervals.overlap_text(atom, inner)
        elif missing is not None:
            text = f"{self._none_text(missing, inner)} is none"
        elif isinstance(atom, t.Compare):
            text = self._compared_text(atom, inner)
        elif isinstance(atom, t.InSet):
            text = self._membership_text(atom, inner)
        else:
            text = ""
        failure = env if outermost_intervals(body) is not None else self._with_failing_bindings(body, env)
        where = ", ".join(f"{b.name} = {show(failure[b], b.type, self._currency)}" for b in failure if b not in env)
        return (f": {text}" if text else "") + (f" where {where}" if where else "")

    def _compared_text(self, atom: t.Compare, env: Env) -> str:
        values = [self._interpreter.value(operand, env) for operand in atom.operands]
        texts = [show(value, part.type, self._currency) for value, part in zip(values, atom.operands, strict=True)]
        links = [i for i, op in enumerate(atom.ops) if not compare(op, *_comparable_pair(values[i], values[i + 1]))]
        at = links[0] if links else 0
        if links and atom.ops[at] == "!=":
            return f"both are {texts[at]}"
        intervals = outermost_intervals(atom)
        moment = "" if intervals is None else self._intervals.peak_text(intervals, env)
        return f"{texts[at]} against {texts[at + 1]}{moment}"

    def _membership_text(self, atom: t.InSet, env: Env) -> str:
        item = show(self._interpreter.value(atom.item, env), atom.item.type, self._currency)
        collection = atom.collection
        if isinstance(collection, t.RangeOf):
            ends = (self._interpreter.value(end, env) for end in (collection.low, collection.high))
            text = "..".join(show(end, atom.item.type, self._currency) for end in ends)
        else:
            members = tuple(self._interpreter.items(collection, env))
            more = ", ..." if len(members) > MAX_LISTED_MEMBERS else ""
            shown_members = (show(member, atom.item.type, self._currency) for member in members[:MAX_LISTED_MEMBERS])
            text = "{" + ", ".join(shown_members) + more + "}"
        within = self._interpreter.holds(atom, env) != atom.negated
        return f"{item} is {'' if within else 'not '}in {text}"

    def _filled_message(self, message: Sequence[t.TextPart], env: Env) -> str | None:
        """Return the message with its placeholders replaced by values; None if one uses a variable without a value."""
        placeholders = [part for part in message if not isinstance(part, str)]
        if any(binding not in env for part in placeholders for binding in self._interpreter.free_variables_of(part)):
            return None
        return "".join(part if isinstance(part, str) else self._placeholder_text(part, env) for part in message)

    def _placeholder_text(self, part: t.Expr, env: Env) -> str:
        if isinstance(part, t.FieldOf):
            row = self._interpreter.value(part.row, env)
            named = row._unknown if row is not None else {}
            if isinstance(named, Mapping) and part.column.name in named:
                return f'"{named[part.column.name]}"'
        return show(self._interpreter.value(part, env), part.type, self._currency)


def _strict_arguments(expr: t.Apply) -> list[t.Expr]:
    """Return the arguments for mandatory parameters, which must not be *none*."""
    return [arg for arg, param in zip(expr.args, expr.definition.params, strict=True) if not param.optional]


def _targets(expr: t.Aggregate) -> set[t.Binding]:
    return {target for clause in expr.clauses for target in clause.targets}


def _comparable_pair(left: Any, right: Any) -> tuple[Any, Any]:
    """Return two values in a form that Python compares correctly: tuples, which represent sets, become frozensets."""
    return (frozenset(left), frozenset(right)) if isinstance(left, tuple) else (left, right)
