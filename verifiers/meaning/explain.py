"""Why an instance holds or fails: the details of a finding, worked out only when they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import Table
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.limits import EXPLAINING_STEPS
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.interpret import Env, comparable, compare
from planspec.verifiers.meaning.margin import Margin, Measure, Measured, Unmeasured, least, shown, unit_of
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.provenance import ProvenanceInterpreter
from planspec.verifiers.meaning.verdict import Finding, RowRef, SourcePlace, row_ref

Atom: TypeAlias = tuple[t.Expr, Env]
"""A part without parts of a rule, with the values of its variables."""
MOST_REFERENCES = 10_000
"""The most names of rows that are cached for a task."""
LONGEST_SET = 8
"""The most members of a set that a message lists."""

_SUMMARIES: Kind[frozenset[tuple[str, int]], Summaries] = Kind("findings without details")
_PLACES: Kind[t.Constraint, SourcePlace] = Kind("places of constraints' texts")
_STANDING: Kind[tuple[t.Constraint, bool, int | None], Finding] = Kind(
    "findings of the instances of constraints without `for:` that hold or do not apply"
)
_SETTLED: Kind[tuple[Instance, int | None], Finding] = Kind(
    "findings of instances that hold by no amount, by the turn that brought them"
)
_REFERENCES: Kind[tuple[Table, object], RowRef] = Kind("names of rows")


def explain(ground: Ground, instance: Instance, plan: Plan, holds: bool) -> Finding:
    """The finding of an instance, as `with_details` has it.

    Args:
        ground: the task.
        instance: one of its instances.
        plan: the plan that is judged.
        holds: the instance's condition is true on it; has no meaning where it does not apply.
    """
    return with_details(ground, instance, plan, summary(instance, holds))


def with_details(ground: Ground, instance: Instance, plan: Plan, brief: Finding) -> Finding:
    """The finding of an instance with its details.

    Args:
        ground: the task.
        instance: one of its instances.
        plan: the plan that is judged.
        brief: the finding without them, which says whether the instance holds.
    """
    return Explainer(ground, plan).with_details(instance, brief)


@dataclass(frozen=True, slots=True)
class Summaries:
    """The findings of all instances of a task without the details that take an evaluation, the same on every plan.

    Attributes:
        standing: of each instance in order what is found where it holds or does not apply.
        hard: the number of hard instances that apply.
        soft: likewise.
    """

    standing: tuple[Finding, ...]
    hard: int
    soft: int
    _violated: dict[int, Finding] = field(default_factory=dict, repr=False)

    def violated(self, at: int) -> Finding:
        """What is found of the instance at a place where it is violated."""
        found = self._violated.get(at)
        if found is None:
            found = self._violated[at] = replace(self.standing[at], status="violated")
        return found


def summaries(ground: Ground, since: Mapping[str, int]) -> Summaries:
    """The findings of all instances without details.

    Args:
        ground: the task.
        since: of an instance's id the turn that brought it, for a task with turns.
    """
    known = ground.interpreter.static.of(_SUMMARIES)
    turns = frozenset(since.items())
    found = known.get(turns)
    if found is None:
        standing = tuple(_standing(instance, since.get(instance.id), ground) for instance in ground.instances)
        asked = Counter(finding.level for finding in standing if finding.status == "satisfied")
        found = known[turns] = Summaries(standing, asked["hard"], asked["soft"])
    return found


def _standing(instance: Instance, since: int | None, ground: Ground) -> Finding:
    """What is found of an instance that holds or does not apply.

    Of a constraint with one instance it is the same for all tasks that use it, and so is the place of its text.
    """
    constraint = instance.constraint
    own = constraint.span.source is ground.task.span.source
    memory = ground.interpreter.static if own else ground.task.shared
    if constraint.clauses:
        places = memory.of(_PLACES)
        if constraint not in places:
            places[constraint] = SourcePlace.of(constraint.span)
        return summary(instance, True, since, places[constraint])
    known, key = memory.of(_STANDING), (constraint, instance.applicable, since)
    found = known.get(key)
    if found is None:
        found = known[key] = summary(instance, True, since)
    return found


def summary(
    instance: Instance, holds: bool, since: int | None = None, place: SourcePlace | None = None
) -> Finding:
    """The finding of an instance without the details that take an evaluation.

    Args:
        instance: of a task.
        holds: its condition is true.
        since: the turn that brought it.
        place: of its constraint, where that is known.
    """
    constraint = instance.constraint
    message = ""
    if not instance.applicable:
        when = "" if constraint.when is None else f": {_flat(constraint.when.span.text)} is false"
        message = f"does not apply{when}"
    return Finding(
        constraint=instance.id,
        level="hard" if constraint.hard else "soft",
        kind=constraint.kind or _inherited_kind(constraint.body),
        status="not-applicable" if not instance.applicable else "satisfied" if holds else "violated",
        message=message,
        source=place or SourcePlace.of(constraint.span),
        since=since,
    )


def _inherited_kind(body: t.Expr) -> str | None:
    return body.definition.kind if isinstance(body, t.Apply) else None


def _flat(text: str) -> str:
    return " ".join(text.split())


class Explainer:
    """Works out the details of findings on one plan.

    Args:
        ground: the task.
        plan: the plan that is judged.
        faster: gives an interpreter that takes fewer steps than the plain one, with as many as explanations may take.
        at_once: use it from the start; else where the plain one runs out of steps.
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
        self._settled = ground.interpreter.static.of(_SETTLED)
        self._references = ground.interpreter.static.of(_REFERENCES)
        self._faster = faster
        if at_once and faster is not None:
            self._faster = None
            self._use(faster())
        else:
            self._use(CachingInterpreter(ground.interpreter.on(plan, Meter(EXPLAINING_STEPS)), plan))

    def _use(self, interpreter: CachingInterpreter) -> None:
        self._interpreter = interpreter
        self._measure = Measure(interpreter)
        self._witness = ProvenanceInterpreter(interpreter, self._plan)

    def with_details(self, instance: Instance, brief: Finding) -> Finding:
        """The finding of an instance with its details; past the last step nothing is explained.

        Args:
            instance: one of the task's instances.
            brief: the finding without them, which says whether the instance holds.

        Returns:
            The finding, with its margin if it has one. A violated instance has the message with the plan's values, the
            expressions that were none, and the rows to blame; one that holds has the rule's own text, since messages
            are about violations.
        """
        if not instance.applicable:
            return brief
        holds = brief.status == "satisfied"
        try:
            return self._held(instance, brief) if holds else self._violated(instance, brief)
        except StepLimitError:
            if self._faster is not None:
                self._use(self._faster())
                self._faster = None
                return self.with_details(instance, brief)
            said = "holds" if holds else "does not hold, and takes too many steps to explain"
            return replace(brief, message=f"{_flat(instance.constraint.body.span.text)} {said}")

    def _held(self, instance: Instance, brief: Finding) -> Finding:
        key = instance, brief.since
        found = self._settled.get(key)
        if found is not None:
            return found
        constraint = instance.constraint
        margin, unit = shown(self.margin(constraint, instance.env, holds=True))
        made = brief.with_details(f"{_flat(constraint.body.span.text)} holds", margin, unit)
        if constraint.margin is None and not self._measure.can_measure(constraint.body):
            self._settled[key] = made
        return made

    def _violated(self, instance: Instance, brief: Finding) -> Finding:
        constraint, env = instance.constraint, instance.env
        margin, unit = shown(self.margin(constraint, env, holds=False))
        atoms = tuple(self.atoms(constraint.body, env, holds=False))
        message = self.message(constraint, env, atoms[0])
        none = self.none(constraint.body, env)
        return brief.with_details(message, margin, unit, none, self.rows(atoms))

    # -- what decides -----------------------------------------------------------------------------

    def atoms(self, expr: t.Expr, env: Env, *, holds: bool) -> Iterator[Atom]:
        """The parts without parts to which a Boolean expression owes that it holds or not, in order of evaluation."""
        interpreter = self._interpreter
        match expr:
            case t.Logic(op="implies"):
                left, right = expr.operands
                if holds and not interpreter.holds(left, env):
                    yield from self.atoms(left, env, holds=False)
                else:
                    yield from self.atoms(right, env, holds=holds)
            case t.Logic():
                settled = holds == (expr.op == "or")  # by one of the operands
                parts = (part for part in expr.operands if settled and interpreter.holds(part, env) == holds)
                first = next(parts, None)
                for part in expr.operands if first is None else (first,):
                    yield from self.atoms(part, env, holds=holds)
            case t.Not():
                yield from self.atoms(expr.operand, env, holds=not holds)
            case t.Aggregate(function="all" | "any"):
                bound = False
                for inner in self._deciding(expr, env, holds=holds):
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
                t.Aggregate() | t.Compare() | t.InSet() | t.IsNone() | t.IsUnknown()
                | t.Literal() | t.Var() | t.GivenRef() | t.FieldOf() | t.Call() | t.Coalesce()
                | t.RowNamed() | t.Lookup() | t.OnlyRow() | t.Negate() | t.Arith() | t.SetLiteral() | t.SetOf()
                | t.RangeOf() | t.AllRows() | t.AllMembers() | t.Steps()
            ):  # fmt: skip
                yield expr, env
            case _:
                assert_never(expr)

    def _deciding(self, expr: t.Aggregate, env: Env, *, holds: bool) -> Iterable[dict[t.Binding, Any]]:
        """The bindings to which an `all` or `any` owes that it holds or not."""
        if holds != (expr.function == "any"):  # no binding settles it alone
            return self._interpreter.bindings(expr.clauses, env)
        return (inner for inner, holding in self._terms(expr, env) if holding == holds)

    def _terms(self, expr: t.Aggregate, env: Env) -> Iterator[tuple[dict[t.Binding, Any], Any]]:
        """The bindings of an aggregate, each with the value of its body."""
        return (
            (inner, value) for inner, (value,) in self._interpreter.cases(expr.clauses, (expr.body,), env)
        )

    def rows(self, atoms: Iterable[Atom]) -> tuple[RowRef, ...]:
        """The plan rows to blame for a violated rule: of the bindings that fail, and what their tests read."""
        witness = self._witness
        witness.seen = {}
        for atom, env in atoms:
            if isinstance(atom, t.Aggregate) and atom.function == "all_different":
                for inner in self._alike(atom, env):
                    bound = (value for value in inner.values() if isinstance(value, Row))
                    witness.seen.update(dict.fromkeys(row for row in bound if row._table.plan))
                continue
            new = (value for value in env.values() if isinstance(value, Row) and value._table.plan)
            witness.seen.update(dict.fromkeys(new))
            witness.read(atom, env)
        return tuple(map(self._reference, witness.seen))

    def _alike(self, expr: t.Aggregate, env: Env) -> Iterable[Env]:
        """The bindings of an `all_different` whose terms are none, or equal to that of another one."""
        groups: dict[Any, list[Env]] = {}
        for inner, term in self._terms(expr, env):
            groups.setdefault(frozenset(term) if isinstance(term, tuple) else term, []).append(inner)
        return [inner for term, found in groups.items() if term is None or len(found) > 1 for inner in found]

    def _reference(self, row: Row) -> RowRef:
        """The name of a row in findings; cached, as the plans for a task have many keys in common."""
        key = (row._table, row._key or row._index)
        found = self._references.get(key)
        if found is None:
            if len(self._references) >= MOST_REFERENCES:
                self._references.clear()
            found = self._references[key] = row_ref(row, self._currency)
        return found

    # -- what was none ----------------------------------------------------------------------------

    def none(self, body: t.Expr, env: Env) -> str | None:
        """The text of the first expression that was none and made a test fail.

        In a rule over several rows it is looked for in the case of the message: the first that fails.
        """
        while isinstance(body, t.Apply) and (given := self._interpreter.arguments(body, env)) is not None:
            body, env = body.definition.body, given
        if isinstance(body, t.Aggregate) and body.function == "all":
            body, env = body.body, self._told(body, env)
        for atom, inner in self.atoms(body, env, holds=False):
            found = self._culprit_of_test(atom, inner)
            if found is not None:
                return self._named(found, inner)
        return None

    def _named(self, missing: t.Expr, env: Env) -> str:
        """The text of an expression that is none; of a row that is not there, with the values of keys that vary."""
        bound = set(self._interpreter.free(missing))
        if isinstance(missing, t.Lookup) and bound and bound <= env.keys():
            keys = (show(self._interpreter.value(key, env), key.type, self._currency) for key in missing.keys)
            return f"{missing.table.name}[{', '.join(keys)}]"
        return _flat(missing.span.text)

    def _culprit_of_test(self, atom: t.Expr, env: Env) -> t.Expr | None:
        match atom:
            case t.Compare(operands=parts) | t.Call(args=parts):
                return self._first_none(parts, env)
            case t.InSet(collection=t.RangeOf(low=low, high=high)):
                return self._first_none((atom.item, low, high), env)
            case t.InSet():
                return self._first_none((atom.item, atom.collection), env)
            case t.Apply():
                return self._first_none(_strict(atom), env)
            case t.FieldOf():
                row = self._interpreter.value(atom.row, env)
                if row is None:
                    return self._culprit(atom.row, env)
                return atom if getattr(row, atom.column.name) is None else None
            case t.Aggregate(function="all_different"):
                return self._none_term(atom, env)
            case t.Var():
                return atom if env[atom.binding] is None else None
            case t.GivenRef():
                return atom if self._interpreter.task.givens[atom.given.name] is None else None
            case _:
                return None

    def _first_none(self, parts: Iterable[t.Expr], env: Env) -> t.Expr | None:
        missing = next((part for part in parts if self._interpreter.value(part, env) is None), None)
        return None if missing is None else self._culprit(missing, env)

    def _none_term(self, expr: t.Aggregate, env: Env) -> t.Expr | None:
        missing = next((inner for inner, term in self._terms(expr, env) if term is None), None)
        return None if missing is None else self._culprit(expr.body, missing)

    def _culprit(self, expr: t.Expr, env: Env) -> t.Expr:
        """The part of an expression from which its none comes."""
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
                return self._culprit(taken, env)
            case t.Apply():
                inner = interpreter.arguments(expr, env)
                if inner is None:
                    return self._first_none(_strict(expr), env) or expr
                return self._culprit(expr.definition.body, inner)
            case t.Aggregate(function="first" | "last"):
                chosen = interpreter.extreme(expr, env)
                return expr if chosen is None else self._culprit(expr.body, chosen)
            case t.Aggregate():
                several = expr.function == "the" and len(list(interpreter.bindings(expr.clauses, env))) > 1
                return (None if several else self._none_term(expr, env)) or expr
            case _:
                return expr

    # -- margin -----------------------------------------------------------------------------------

    def margin(self, constraint: t.Constraint, env: Env, *, holds: bool) -> Margin:
        """The margin of a constraint: its own expression, else what its structure gives."""
        stated = constraint.margin
        if stated is None:
            return self._measure.margin(constraint.body, env, holds=holds)
        outermost = constraint.body
        envs: Iterable[Env] = (env,)
        if isinstance(outermost, t.Aggregate) and _targets(outermost) & set(self._interpreter.free(stated)):
            envs = self._interpreter.bindings(outermost.clauses, env)
        unit = unit_of(stated.type, self._currency) or "1"
        amounts = [self._interpreter.value(stated, inner) for inner in envs]
        return least(
            Unmeasured(holds=False) if amount is None else Measured(amount, unit) for amount in amounts
        )

    # -- message ----------------------------------------------------------------------------------

    def message(self, constraint: t.Constraint, env: Env, first: Atom) -> str:
        """The author's message, or that of the predicate that the rule is a call of, or the rule with its values.

        Args:
            constraint: a rule that fails.
            env: the instance's.
            first: the first part to which it owes that it fails.
        """
        parts, body, inner = constraint.message, constraint.body, env
        while parts is None and isinstance(body, t.Apply):
            definition = body.definition
            values = [self._interpreter.value(arg, inner) for arg in body.args]
            inner = dict(zip(definition.params, values, strict=True))
            parts, body = definition.message, definition.body
        filled = None if parts is None else self._filled(parts, self._told(body, inner))
        if filled is not None:
            return filled
        return f"{_flat(constraint.body.span.text)} does not hold{self._values(constraint.body, env, first)}"

    def _told(self, body: t.Expr, env: Env) -> Env:
        """`env` and the variables of the outermost `all` or `all_different`, as they first fail."""
        if not isinstance(body, t.Aggregate) or body.function not in ("all", "all_different"):
            return env
        if body.function == "all_different":
            return next(self._repeated(body, env), env)
        return next((inner for inner, holding in self._terms(body, env) if not holding), env)

    def _repeated(self, expr: t.Aggregate, env: Env) -> Iterator[Env]:
        """The bindings of an `all_different` whose terms are none, or have come before."""
        seen: set[Any] = set()
        for inner, value in self._terms(expr, env):
            term = comparable(value, expr.body.type)
            if term is None or term in seen:
                yield inner
            seen.add(term)

    def _values(self, body: t.Expr, env: Env, first: Atom) -> str:
        """The values of the first test that fails, and where it does."""
        atom, inner = first
        missing = self._culprit_of_test(atom, inner)
        if missing is not None:
            text = f"{self._named(missing, inner)} is none"
        elif isinstance(atom, t.Compare):
            text = self._compared(atom, inner)
        elif isinstance(atom, t.InSet):
            text = self._sought(atom, inner)
        else:
            text = ""
        told = self._told(body, env)
        where = ", ".join(f"{b.name} = {show(told[b], b.type, self._currency)}" for b in told if b not in env)
        return (f": {text}" if text else "") + (f" where {where}" if where else "")

    def _compared(self, atom: t.Compare, env: Env) -> str:
        values = [self._interpreter.value(operand, env) for operand in atom.operands]
        texts = [
            show(value, part.type, self._currency) for value, part in zip(values, atom.operands, strict=True)
        ]
        links = [i for i, op in enumerate(atom.ops) if not compare(op, *_alike(values[i], values[i + 1]))]
        at = links[0] if links else 0
        if links and atom.ops[at] == "!=":
            return f"both are {texts[at]}"
        return f"{texts[at]} against {texts[at + 1]}"

    def _sought(self, atom: t.InSet, env: Env) -> str:
        item = show(self._interpreter.value(atom.item, env), atom.item.type, self._currency)
        collection = atom.collection
        if isinstance(collection, t.RangeOf):
            ends = (self._interpreter.value(end, env) for end in (collection.low, collection.high))
            text = "..".join(show(end, atom.item.type, self._currency) for end in ends)
        else:
            members = tuple(self._interpreter.items(collection, env))
            more = ", ..." if len(members) > LONGEST_SET else ""
            shown_members = (show(member, atom.item.type, self._currency) for member in members[:LONGEST_SET])
            text = "{" + ", ".join(shown_members) + more + "}"
        within = self._interpreter.holds(atom, env) != atom.negated
        return f"{item} is {'' if within else 'not '}in {text}"

    def _filled(self, message: Sequence[t.TextPart], env: Env) -> str | None:
        """The message with its holes filled; None if it speaks of a case of an `all` that has none."""
        holes = [part for part in message if not isinstance(part, str)]
        if any(binding not in env for hole in holes for binding in self._interpreter.free(hole)):
            return None
        return "".join(part if isinstance(part, str) else self._hole(part, env) for part in message)

    def _hole(self, hole: t.Expr, env: Env) -> str:
        if isinstance(hole, t.FieldOf):
            row = self._interpreter.value(hole.row, env)
            named = row._unknown if row is not None else {}
            if isinstance(named, Mapping) and hole.column.name in named:
                return f'"{named[hole.column.name]}"'
        return show(self._interpreter.value(hole, env), hole.type, self._currency)


def _strict(expr: t.Apply) -> list[t.Expr]:
    """The arguments that may not be none."""
    return [arg for arg, param in zip(expr.args, expr.definition.params, strict=True) if not param.optional]


def _targets(expr: t.Aggregate) -> set[t.Binding]:
    return {target for clause in expr.clauses for target in clause.targets}


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Two values of a comparison; of tuples, only sets are compared."""
    return (frozenset(left), frozenset(right)) if isinstance(left, tuple) else (left, right)
