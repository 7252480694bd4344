"""Conversion of a CPMpy model to the text of a task."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.resources.limits import EXPRESSION_CHARACTERS
from planspec.foreign_models.expressions import Expressions
from planspec.foreign_models.families import FactTable, Families, Names, Vector
from planspec.foreign_models.terms import Term, skeleton
from planspec.foreign_models.values import InexpressibleModelError, definedness, truth_value
from planspec.foreign_models.variables import WORDS, Index, PlanTable, Variable, Variables
from planspec.suite_writing.writing import yaml_scalar

COMMENT_CHARACTERS = 100
"""Maximum length of a comment with the source of a constraint, in characters."""
MOST_BOXES = 4
"""Maximum number of index boxes (products of ranges), each with its own bounds, before a table of bounds is used."""


@dataclass(frozen=True, slots=True)
class Source:
    """Names and texts from which the task of a model is written.

    Attributes:
        id: id of the task.
        query: the request in natural language.
        places: array name and index of each unnamed variable, by the name that CPMpy generated.
        titles: names of lists of integers in the file, by their values. They serve as names of columns.
    """

    id: str
    query: str
    places: Mapping[str, tuple[str, Index]] = field(default_factory=dict)
    titles: Mapping[Vector, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A task made from a model.

    Attributes:
        text: text of the task.
        variables: number of decision variables of the model.
        constraints: number of constraints of the model.
        auxiliary: number of added variables, whose values follow from the other variables.
        objective: `minimize` or `maximize`, or None.
    """

    text: str
    variables: int
    constraints: int
    auxiliary: int
    objective: Literal["minimize", "maximize"] | None


@dataclass(frozen=True, slots=True)
class _Constraint:
    term: Term
    comment: str
    description: str | None = None


def import_model(model: Any, source: Source) -> ImportedModel:
    """Convert a CPMpy model to a task.

    Args:
        model: a `cpmpy.Model`.
        source: id, query and names.

    Raises:
        InexpressibleModelError: the language cannot express a part of the model.
    """
    writer = _Writer(model, source, shared=True)
    if writer.families.is_too_large():
        writer = _Writer(model, source, shared=False)
    return writer.result()


class _Writer:
    """Translation of one model. The constructor does the work."""

    def __init__(self, model: Any, source: Source, *, shared: bool) -> None:
        from cpmpy.transformations.get_variables import get_variables_model

        self._source = source
        self._model = model
        self._labels = {
            name: f"{array}[{','.join(map(str, index))}]" if index else array
            for name, (array, index) in source.places.items()
        }
        names = Names((*WORDS, *BUILTINS, *SCALARS))
        found = [each for each in get_variables_model(model) if not hasattr(each, "_bv")]
        self._variables = Variables(found, source.places, names)
        self._count = len(found)
        self.families = Families(names, source.titles, shared=shared)
        self._expressions = Expressions(self._variables, self.families)
        expressions = list(_flat(model.constraints))
        self._expressions.required = expressions
        self._size = len(expressions)
        self._constraints = [self._constraint(expression) for expression in expressions]
        self._objective = self._objective_term()
        self._add_definitions()

    def _constraint(self, expression: Any) -> _Constraint:
        try:
            term = self._expressions.condition(expression)
        except InexpressibleModelError as error:
            raise InexpressibleModelError(
                f"the constraint `{self._excerpt(expression)}` cannot be imported: {error}"
            ) from None
        described = getattr(expression, "_description", None)
        return _Constraint(term, self._excerpt(expression), None if described is None else described.text)

    def _excerpt(self, expression: Any) -> str:
        """Return the beginning of an expression as text, with variables named as in the file."""
        text = re.sub(r"\b[IB]V\d+\b", lambda match: self._labels.get(match[0], match[0]), repr(expression))
        text = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
        return text if len(text) <= COMMENT_CHARACTERS else f"{text[: COMMENT_CHARACTERS - 3]}..."

    def _objective_term(self) -> Term | None:
        objective = self._model.objective_
        if objective is None:
            return None
        try:
            term = self._expressions.number(objective)
        except InexpressibleModelError as error:
            raise InexpressibleModelError(f"the objective cannot be imported: {error}") from None
        import cpmpy

        guards = [] if objective.is_bool() else definedness(cpmpy.max([objective]))
        self._constraints += [self._constraint(guard) for guard in guards]
        return term

    def _add_definitions(self) -> None:
        """Add the constraints that define auxiliary variables. Translating these can add further variables."""
        while self._expressions.defining:
            expression = self._expressions.defining.pop(0)
            for each in _flat([expression]):
                self._constraints.append(self._constraint(each))

    def result(self) -> ImportedModel:
        """Return the task."""
        plan = self._variables.tables
        extra = sum(len(table.cells) + len(table.fields) for table in plan) - self._count
        sense: Literal["minimize", "maximize"] | None = None
        if self._objective is not None:
            sense = "minimize" if self._model.objective_is_min else "maximize"
        return ImportedModel(self._text(plan, sense), self._count, self._size, extra, sense)

    def _text(self, plan: Sequence[PlanTable], sense: str | None) -> str:
        if not plan:
            raise InexpressibleModelError("the model has no variables")
        domains = [_Domain(table, self.families) for table in plan]
        constraints = [*self._domain_lines(domains), *self._constraint_lines()]
        objective = [f"{sense}: {_expression(self._objective)}"] if self._objective is not None else []
        lines = [
            "planspec: task/1",
            f"id: {self._source.id}",
            *_query_lines(self._source.query),
            *self._fact_lines(),
            "plan:",
            *(each.declaration() for each in domains),
            "scope:",
            *(line for each in domains for line in each.scope_lines()),
            "closed: true",
            *(["constraints:", *constraints] if constraints else []),
            *objective,
        ]
        return format_text(self._without_single_sets("\n".join(lines) + "\n"))

    def _domain_lines(self, domains: Iterable[_Domain]) -> Iterator[str]:
        for each in domains:
            condition = each.condition()
            if condition is not None:
                yield f"  {each.table.name}-domain:"
                yield f"    hard: {condition}"
                yield "    background: true"

    def _constraint_lines(self) -> Iterator[str]:
        """Yield the lines of the constraints. Constraints with the same structure are merged into one with `for:`."""
        groups: dict[object, list[_Constraint]] = {}
        for place, each in enumerate(self._constraints):
            key = skeleton(each.term) if each.description is None else place
            groups.setdefault(key, []).append(each)
        ids = (f"c{n}" for n in itertools.count(1))
        for group in groups.values():
            unique = list({each.term: each for each in group}.values())
            family = self.families.family([each.term for each in unique])
            if family is None:
                for each in unique:
                    yield from self._one(next(ids), each)
            else:
                yield f"  # {unique[0].comment}, and {len(unique) - 1} more"
                yield f"  {next(ids)}:"
                yield f"    for: {family.generator.format(*family.parts)}"
                yield f"    hard: {_expression(family.body)}"

    def _one(self, name: str, constraint: _Constraint) -> Iterator[str]:
        if constraint.description is None:
            yield f"  # {constraint.comment}"
        yield f"  {name}:"
        yield f"    hard: {_expression(constraint.term)}"
        if constraint.description is not None:
            escaped = constraint.description.replace("{", "{{").replace("}", "}}")
            yield f"    says: {yaml_scalar(escaped)}"

    def _fact_lines(self) -> Iterator[str]:
        if self.families.tables:
            yield "tables:"
        for table in self.families.tables:
            keys, columns = table.keys, ("set", *table.columns)
            rows = [(place, *row) for each, place in table.sets.items() for row in each]
            if len(table.sets) == 1:
                keys, columns, rows = max(keys - 1, 0), columns[1:], [row[1:] for row in rows]
            kinds = ("key int" if place < keys else "int" for place in range(len(columns)))
            yield f"  {table.name}:"
            yield f"    columns: {{{', '.join(f'{name}: {kind}' for name, kind in zip(columns, kinds, strict=True))}}}"
            yield "    csv: |"
            yield f"      {', '.join(columns)}"
            for row in rows:
                yield f"      {', '.join(map(str, row))}"

    def _without_single_sets(self, text: str) -> str:
        """Return the text without the column for set numbers in tables that hold a single set of rows."""
        single = "|".join(table.name for table in self.families.tables if len(table.sets) == 1)
        if not single:
            return text
        text = re.sub(rf"\b(\w+) in ({single}) if \1\.set == 0(?!\w)", r"\1 in \2", text)
        return re.sub(rf"\b({single})\[0, ", r"\1[", text)


class _Domain:
    """Writer of a plan table's declaration, scope and domains."""

    def __init__(self, table: PlanTable, families: Families) -> None:
        self.table = table
        self._groups: dict[tuple[int, int], list[Index]] = {}
        for index, variable in table.cells.items():
            self._groups.setdefault(_bounds(variable), []).append(index)
        self._binders = [families.names.variables(name)(0) for name in table.key_names()] if table.cells else []
        boxes = {bounds: _box(indices) for bounds, indices in self._groups.items()}
        self._boxes = {bounds: box for bounds, box in boxes.items() if box is not None}
        self._facts: FactTable | None = None
        self._row = families.names.variables("r")(0)
        if len(self._boxes) < len(self._groups) or len(self._groups) > MOST_BOXES:
            self._facts = FactTable(families.names.fresh("Cells"), (*table.key_names(), "low", "high"))
            self._facts.number(tuple((*index, *_bounds(variable)) for index, variable in table.cells.items()))
            families.tables.append(self._facts)

    def declaration(self) -> str:
        """Return the table's line under `plan:` in the task."""
        if self.table.fields:
            columns = ", ".join(f"{name}: {_type(each)}" for name, each in self.table.fields.items())
            return f"  {self.table.name}: {{one: true, {columns}}}"
        keys = ", ".join(f"{name}: key int" for name in self.table.key_names())
        return f"  {self.table.name}: {{{keys}, value: {'bool' if self.table.is_bool else 'int'}}}"

    def scope_lines(self) -> Iterator[str]:
        """Yield the table's lines under `scope:` in the task."""
        yield f"  {self.table.name}:"
        for name, variable in self.table.fields.items():
            yield f"    {name}: {_values(_bounds(variable), is_bool=variable.is_bool)}"
        keys = self.table.key_names()
        if self._facts is not None:
            values = "({false, true})" if self.table.is_bool else f"{self._row}.low..{self._row}.high"
            yield f"    - for: {self._row} in {self._facts.name}"
            yield from (f"      {key}: {self._row}.{key}" for key in keys)
            yield f"      value: {values}"
            return
        for bounds, box in self._boxes.items():
            yield f"    - for: {self._box_generator(box)}"
            yield from (f"      {key}: {binder}" for key, binder in zip(keys, self._binders, strict=True))
            yield f"      value: {_values(bounds, is_bool=self.table.is_bool)}"

    def condition(self) -> str | None:
        """Return the condition that all values are in their domains; None if the values' type implies it."""
        name = self.table.name
        if self.table.fields:
            checked = [(f"{name}.{key}", _bounds(each)) for key, each in self.table.fields.items() if not each.is_bool]
            return " and ".join(f"{cell} in {low}..{high}" for cell, (low, high) in checked) or None
        return None if self.table.is_bool else self._array_condition()

    def _array_condition(self) -> str:
        cell = f"{self.table.name}[{', '.join(self._binders)}].value"
        row = self._row
        if self._facts is not None:
            cell = f"{self.table.name}[{', '.join(f'{row}.{key}' for key in self.table.key_names())}].value"
            return f"all({cell} in {row}.low..{row}.high for {row} in {self._facts.name})"
        if len(self._boxes) == 1:
            ((low, high),) = self._boxes
            return f"all({row}.value in {low}..{high} for {row} in {self.table.name})"
        return " and ".join(
            f"all({cell} in {low}..{high} for {self._box_generator(box)})" for (low, high), box in self._boxes.items()
        )

    def _box_generator(self, box: Sequence[range]) -> str:
        ranges = zip(self._binders, box, strict=True)
        return " for ".join(f"{binder} in {each[0]}..{each[-1]}" for binder, each in ranges)


def _box(indices: Sequence[Index]) -> list[range] | None:
    """Return ranges whose Cartesian product equals the indices; None if the indices do not form a box."""
    ranges = [range(min(axis), max(axis) + 1) for axis in zip(*indices, strict=True)]
    return ranges if sorted(indices) == list(itertools.product(*ranges)) else None


def _bounds(variable: Variable) -> tuple[int, int]:
    return variable.low, variable.high


def _type(variable: Variable) -> str:
    return "bool" if variable.is_bool else "int"


def _values(bounds: tuple[int, int], *, is_bool: bool) -> str:
    if is_bool:
        return "({false, true})"
    return f"{bounds[0]}..{bounds[1]}"


def _flat(constraints: Iterable[Any]) -> Iterator[Any]:
    """Yield the constraints in nested lists and conjunctions, leaving out those that are constantly true."""
    for each in constraints:
        if truth_value(each) is True:
            continue
        if isinstance(each, list | tuple) or hasattr(each, "flat"):
            yield from _flat(each)
        elif getattr(each, "name", None) == "and" and hasattr(each, "args") and each._description is None:
            yield from _flat(each.args)
        else:
            yield each


def _expression(term: Term) -> str:
    text = term.text()
    if len(text) > EXPRESSION_CHARACTERS:
        raise InexpressibleModelError(f"an expression of the task would have {len(text):,} characters")
    return text


def _query_lines(query: str) -> list[str]:
    lines = [line.rstrip() for line in query.strip().splitlines()]
    is_plain = all(line.isprintable() for line in lines) and not lines[0].startswith(" ")
    if len(lines) == 1 or not is_plain:
        return [f"query: {yaml_scalar(query.strip())}"]
    return ["query: |-", *(f"  {line}".rstrip() for line in lines)]
