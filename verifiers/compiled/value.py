"""The knowledge of generated code about a value: constant, surely there, perhaps none, or there under guards."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl.model.tree import Binding, Expr
from planspec.dsl.model.types import SetType, Type
from planspec.verifiers.compiled import syntax as py

Env: TypeAlias = Mapping[Binding, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """A value that is the same on every plan; None is none."""

    value: Any


@dataclass(frozen=True, slots=True)
class Total:
    """Code whose value is never None."""

    code: ast.expr


@dataclass(frozen=True, slots=True)
class Nullable:
    """Code whose value is None where the expression is none."""

    code: ast.expr


@dataclass(frozen=True, slots=True)
class Guarded:
    """Code that may run, and then is not None, where all guards are true; elsewhere the expression is none.

    Guards run from left to right, and the code may use names that they bind.
    """

    guards: tuple[ast.expr, ...]
    code: ast.expr


Value: TypeAlias = Known | Total | Nullable | Guarded


def is_there(value: Value) -> bool:
    """The value is surely not none."""
    match value:
        case Known():
            return value.value is not None
        case Total():
            return True
        case Nullable() | Guarded():
            return False


def comparable(code: ast.expr, of: Type) -> ast.expr:
    """A value by which equality is Python's: sets forget their order."""
    return py.call(py.name("frozenset"), code) if isinstance(of, SetType) else code


@dataclass(slots=True, eq=False)
class Block:
    """A list of statements under construction.

    What stands in a block has run when a later statement of it, or of a block inside, runs: code that is
    moved out of a loop or shared is appended to a block around, before the statement that holds the inner
    one is.

    Attributes:
        level: how many variable-binding loops stand around it; level 0 runs once a call.
        parent: the block around.
        depth: how many Python loops of the same function stand around it.
        body: the statements so far.
        shared: values that the body has worked out, by what they are.
    """

    level: int
    parent: Block | None
    depth: int = 0
    body: list[ast.stmt] = field(default_factory=list)
    shared: dict[object, Value] = field(default_factory=dict)

    def chain(self) -> Iterator[Block]:
        """This block and those around it, from the inside."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent

    def find(self, key: object) -> Value | None:
        """The value of a key that this block or one around it has worked out."""
        for block in self.chain():
            found = block.shared.get(key)
            if found is not None:
                return found
        return None

    def above(self, level: int) -> Block:
        """The innermost block around that is no deeper than `level`."""
        for block in self.chain():
            if block.level <= level:
                return block
        raise AssertionError("every function has a block of level 0")

    @property
    def root(self) -> Block:
        """The block of the function's own statements."""
        *_, last = self.chain()
        return last


@dataclass(slots=True, eq=False)
class Scope:
    """The meaning of variables in a constraint's body or in one written-out call of a definition.

    Attributes:
        known: for each instance of the constraint, the variables whose value is known before any plan.
        known_names: these variables.
        known_level: the level at which values that differ between instances are names.
        bound: the values of all other variables.
        levels: the level of the block in which each variable gets its value.
        repeats: parts that are worth working out once, with a number that equal parts share.
    """

    known: Sequence[Env]
    known_names: frozenset[Binding]
    known_level: int
    repeats: Mapping[Expr, int]
    bound: dict[Binding, Value] = field(default_factory=dict)
    levels: dict[Binding, int] = field(default_factory=dict)

    def level_of(self, free: frozenset[Binding]) -> int:
        """The outermost level at which all of these variables have their values."""
        levels, known = self.levels, self.known_names
        return max((self.known_level if name in known else levels[name] for name in free), default=0)


class SplitInstancesError(Exception):
    """Some instances of a constraint know a value where others know it to be none: each kind gets its own code."""

    def __init__(self, absent: Sequence[bool]) -> None:
        super().__init__()
        self.absent = tuple(absent)


class UnsupportedExpressionError(Exception):
    """Python could not compile the code for this expression: the interpreter judges it."""
