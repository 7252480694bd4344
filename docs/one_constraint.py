"""Follow one instance of a constraint through every stage: text, trees, verifier, IR, CP-SAT, Z3, uniqueness.

Run it as `python docs/one_constraint.py TASK INSTANCE STAGE`. It prints the form of the instance at that
stage.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, assert_never

from planspec import load
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import INTEGRAL
from planspec.dsl.model.value_text import show
from planspec.dsl.syntax import nodes as syntax
from planspec.dsl.syntax.parser import parse
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import Domain
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.verifiers.meaning.ground import Ground, Instance, ground

LEFT_OUT = ("span", "name_span", "op_span", "op_spans", "stage", "partial", "by", "presolve")
WIDTH = 100


def instance_of(grounded: Ground, name: str) -> Instance:
    """Return the instance with the id `name`."""
    for instance in grounded.instances:
        if instance.id == name:
            return instance
    raise SystemExit(f"the task has no instance `{name}`; it has {', '.join(i.id for i in grounded.instances)}")


# -- the language ---------------------------------------------------------------------------------


def source_text(instance: Instance) -> str:
    """Return the lines of the author's file with the constraint."""
    span = instance.constraint.span
    first = next(n for n in range(span.line, 0, -1) if span.source.line_text(n).strip() == f"{instance.constraint.id}:")
    last = span.source.position(span.end)[0]
    ends = (n for n in range(last + 1, len(span.source.line_starts)) if not span.source.line_text(n).startswith("    "))
    lines = [span.source.line_text(n) for n in range(first, next(ends, last + 1))]
    return "\n".join([f"# {Path(span.source.name).name}, line {first}", *lines])


def syntax_tree(instance: Instance) -> str:
    """Return the syntax tree of the body, before names are resolved."""
    tree = parse("expression", instance.constraint.span, Report())
    assert tree is not None
    return "\n".join(_syntax(tree))


def _syntax(node: syntax.Node, indent: str = "", label: str = "") -> list[str]:
    plain, inner = [], []
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in LEFT_OUT or value is None or value == ():
            continue
        if isinstance(value, syntax.Node):
            inner.append((field.name, value))
        elif isinstance(value, tuple) and isinstance(value[0], syntax.Node):
            inner.extend((f"{field.name}[{i}]", item) for i, item in enumerate(value))
        else:
            plain.append(" ".join(value) if isinstance(value, tuple) else str(value))
    head = f"{indent}{label}{': ' if label else ''}{type(node).__name__} {' '.join(plain)}".rstrip()
    return [head, *(line for name, item in inner for line in _syntax(item, indent + "  ", name))]


def checked_tree(instance: Instance) -> str:
    """Return the checked tree of the body: type, stage and source text of every expression."""
    return "\n".join(_checked(instance.constraint.body))


def _checked(expr: t.Expr, indent: str = "") -> list[str]:
    words = " ".join(expr.span.text.split())
    if len(words) > 48:
        words = words[:45] + "..."
    head = f"{indent}{type(expr).__name__}: {expr.type}, {expr.stage.name.lower()}"
    partial = ", may be none" if expr.partial else ""
    lines = [f"{head}{partial}".ljust(54) + f"  {words}".rstrip()]
    for field in fields(expr):
        value = getattr(expr, field.name)
        items = value if isinstance(value, tuple) else (value,)
        for item in items:
            if isinstance(item, t.Clause):
                for part in (item.source, item.condition):
                    lines += [] if part is None else _checked(part, indent + "  ")
            elif isinstance(item, t.Typed):
                lines += _checked(item, indent + "  ")  # type: ignore[arg-type]
    return lines


# -- the verifier ---------------------------------------------------------------------------------


def verdicts(grounded: Ground, instance: Instance) -> str:
    """Return the constraint's findings on the solver's plan, and on this plan with one visit longer by an hour."""
    from planspec.api.judging import Judge
    from planspec.solvers.questions.prove import solve
    from planspec.verifiers.meaning.plan_rows import Plan

    judge = Judge(grounded.task)
    plan = solve(grounded).plan
    assert plan is not None
    (wish,) = instance.env.values()
    rows: list[Any] = list(plan.tables["visits"])
    row: Any = next(r for r in rows if r.place is wish.place)
    lines = []
    for moved in (0, 60):
        row.end += moved
        verdict = judge.plan(Plan(plan.tables))  # a new plan, since plans cache derived values
        finding = next(f for f in verdict.findings if f.constraint == instance.id)
        currency = grounded.task.currency
        when = f"{show(row.start, _time(row, 'start'), currency)} to {show(row.end, _time(row, 'end'), currency)}"
        lines.append(f"{when}: {finding.status}, margin {finding.margin} {finding.unit}".rstrip())
        if finding.status == "violated":
            lines.append(f"  {finding.message}")
    return "\n".join(lines)


def _time(row: Any, column: str) -> Any:
    return row._table.columns[column].type


# -- the solvers ----------------------------------------------------------------------------------


class Printer:
    """A printer of IR nodes. Numbers are shown by the type of their field, such as 570 as `09:30`."""

    def __init__(self, grounded: Ground) -> None:
        self._task = grounded.task

    def condition(self, node: ir.Bool) -> str:
        """Format a condition in one line."""
        match node:
            case ir.BooleanConstant(value=value):
                return str(value).lower()
            case ir.InDomain(var=var, domain=domain):
                return f"{var.name} in {self.domain(var, domain)}"
            case ir.InTable(vars=variables, rows=rows):
                shown = ", ".join(f"({self._row(variables, row)})" for row in sorted(rows))
                return f"({', '.join(v.name for v in variables)}) in {{{shown}}}"
            case ir.AtMostZero(linear=linear):
                return f"{self.linear(linear)} <= 0"
            case ir.IsZero(linear=linear):
                return f"{self.linear(linear)} == 0"
            case ir.And(items=items):
                return "(" + " and ".join(map(self.condition, items)) + ")"
            case ir.Or(items=items):
                return "(" + " or ".join(map(self.condition, items)) + ")"
            case ir.Negation(item=ir.AtMostZero(linear=linear)):
                return f"{self.linear(linear)} > 0"
            case ir.Negation(item=item):
                return f"not {self.condition(item)}"
            case _:
                assert_never(node)

    def _row(self, variables: tuple[ir.IntVar, ...], row: tuple[int, ...]) -> str:
        return ", ".join(self.value(var, code) for var, code in zip(variables, row, strict=True))

    def linear(self, linear: ir.Linear) -> str:
        """Format a linear expression."""
        parts = [
            f"{'-' if c < 0 else '+'} {'' if abs(c) == 1 else f'{abs(c)} * '}{self.atom(a)}" for a, c in linear.terms
        ]
        if linear.constant or not parts:
            parts.append(f"{'-' if linear.constant < 0 else '+'} {abs(linear.constant)}")
        return " ".join(parts).removeprefix("+ ")

    def atom(self, atom: ir.Atom) -> str:
        """Format a term of a linear expression."""
        match atom:
            case ir.IntVar(name=name):
                return name
            case ir.Tabled(vars=variables, values=values):
                return f"table of {len(values)} values over ({', '.join(v.name for v in variables)})"
            case ir.Indicator(condition=condition):
                return f"[{self.condition(condition)}]"
            case ir.Select(cases=cases):
                return "{" + "; ".join(f"{self.linear(v)} if {self.condition(g)}" for g, v in cases) + "}"
            case ir.Extreme(greatest=greatest, cases=cases):
                name = "max" if greatest else "min"
                return f"{name}(" + "; ".join(f"{self.linear(v)} if {self.condition(g)}" for g, v in cases) + ")"
            case ir.Quotient(dividend=dividend, divisor=divisor):
                return f"({self.linear(dividend)}) // {divisor}"
            case ir.Product(left=left, right=right):
                return f"({self.linear(left)}) * ({self.linear(right)})"
            case _:
                assert_never(atom)

    def domain(self, var: ir.IntVar, domain: Domain) -> str:
        """Format the values of a variable. A long list is shortened, and its length appended."""
        values = list(domain)
        shown = [self.value(var, value) for value in (values if len(values) <= 6 else [*values[:4], values[-1]])]
        if len(values) > 6:
            shown.insert(4, "...")
        return "{" + ", ".join(shown) + "}" + (f" ({len(values)} values)" if len(values) > 6 else "")

    def value(self, var: ir.IntVar, code: int) -> str:
        """Format a value of a variable by the type of its field, such as 570 as `09:30`."""
        table, _, column = var.name.partition(".")
        declared = self._task.tables[table.partition("[")[0]].columns.get(column)
        if declared is None or declared.type not in INTEGRAL:
            return str(code)
        return show(code, declared.type, self._task.currency)


def variables_of(node: Any) -> dict[ir.IntVar, None]:
    """Return the distinct decision variables in a node of the IR, as keys in order."""
    if isinstance(node, ir.IntVar):
        return {node: None}
    parts = (
        node if isinstance(node, tuple) else [getattr(node, f.name) for f in fields(node)] if is_dataclass(node) else ()
    )
    return {var: None for part in parts for var in variables_of(part)}


def roots_of(lowered: Lowered, name: str) -> list[ir.Rooted]:
    """Return the hard conditions of the problem that come from the instance."""
    return [root for root in lowered.problem.hard if root.origin == name]


def conditions(grounded: Ground, name: str) -> str:
    """Return the instance as a condition over variables, with their domains before and after presolve."""
    printer, lines = Printer(grounded), []
    for title, presolve in (("by itself", False), ("after presolve", True)):
        roots = roots_of(lower(grounded, presolve=presolve), name)
        lines.append(f"{title}:")
        for root in roots:
            lines += [f"  {v.name} in {printer.domain(v, v.domain)}" for v in variables_of(root.condition)]
            parts = root.condition.items if isinstance(root.condition, ir.And) else (root.condition,)
            for part in parts:
                text = printer.condition(part)
                lines += textwrap.wrap(f"require {text}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def problem_of(lowered: Lowered, name: str) -> ir.Problem:
    """Return the problem without all other constraints and objectives."""
    return replace(lowered.problem, hard=roots_of(lowered, name), soft=[], objectives=())


def cpsat_model(grounded: Ground, name: str) -> str:
    """Return the constraints that CP-SAT gets for the instance."""
    from planspec.solvers.backends.cpsat.columns import Columns
    from planspec.solvers.backends.cpsat.encoder import Encoder

    columns = Columns()
    Encoder(columns).require_all(root.condition for root in problem_of(lower(grounded), name).hard)
    proto = columns.model.proto
    lines = [f"x{i} in {_ends(list(v.domain))}" for i, v in enumerate(proto.variables)]
    return "\n".join([*lines, *(_one_line(str(c)) for c in proto.constraints)])


def _ends(ends: list[int]) -> str:
    """Format a domain of CP-SAT as ranges. A long list is shortened."""
    pairs = [str(a) if a == b else f"{a}..{b}" for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return "{" + ", ".join(pairs if len(pairs) <= 6 else [*pairs[:4], "...", pairs[-1]]) + "}"


def _one_line(proto: str) -> str:
    """Format a protobuf message in one line, with repeated fields as a list."""
    text = " ".join(proto.split())
    return re.sub(
        r"(\w+): -?\d+(?: \1: -?\d+)+",
        lambda m: f"{m[1]}: [{', '.join(re.findall(r': (-?[0-9]+)', m[0]))}]",
        text,
    )


def smt_assertions(grounded: Ground, name: str) -> str:
    """Return the assertions that Z3 gets for the instance. Bounds of single variables are only counted."""
    from planspec.solvers.backends.smt import SmtSession

    session = SmtSession(problem_of(lower(grounded), name), Limits())
    several = [a for a in session._solver.assertions() if len(set(re.findall(r"\bx\d+\b", a.sexpr()))) > 1]
    left_out = len(session._solver.assertions()) - len(several)
    return "\n".join(
        [
            *(f"(assert {a.sexpr()})" for a in several),
            f"; and {left_out} assertions that bound a single variable",
        ]
    )


def uniqueness(grounded: Ground, name: str) -> str:
    """Return whether the task has a unique plan, with the instance and without it."""
    from planspec.solvers.questions.validation import validate

    lines = []
    other_instances = tuple(i for i in grounded.instances if i.id != name)
    for title, task in (("with it", grounded), ("without it", replace(grounded, instances=other_instances))):
        validation = validate(task)
        claims = ", ".join(f"{backend} {claim.status}" for backend, claim in validation.unique.backends.items())
        scope = " within the scope" if validation.unique.status == "unique" else ""
        lines.append(f"{title}: {validation.feasible.status}, {validation.unique.status}{scope} ({claims})")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Print one stage of one instance of a task."""
    task, name, stage = arguments
    grounded = ground(load(task))
    instance = instance_of(grounded, name)
    match stage:
        case "text":
            output = source_text(instance)
        case "syntax":
            output = syntax_tree(instance)
        case "checked":
            output = checked_tree(instance)
        case "verifier":
            output = verdicts(grounded, instance)
        case "ir":
            output = conditions(grounded, name)
        case "cpsat":
            output = cpsat_model(grounded, name)
        case "smt":
            output = smt_assertions(grounded, name)
        case "unique":
            output = uniqueness(grounded, name)
        case _:
            raise SystemExit(f"no stage is called `{stage}`")
    sys.stdout.write(output + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
