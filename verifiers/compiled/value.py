"""Values of expressions in generated code, by whether they may be *none*; blocks of statements; scopes of variables."""

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
    """A value that is the same for every plan; `None` stands for *none*."""

    value: Any


@dataclass(frozen=True, slots=True)
class Total:
    """Code whose value is never None."""

    code: ast.expr


@dataclass(frozen=True, slots=True)
class Nullable:
    """Code that evaluates to None if its expression is *none*."""

    code: ast.expr


@dataclass(frozen=True, slots=True)
class Guarded:
    """Code that may run only if all guards are true. Its value is then not None.

    If a guard is false, the expression of the code is *none*.
    """

    guards: tuple[ast.expr, ...]
    code: ast.expr


Value: TypeAlias = Known | Total | Nullable | Guarded


def is_never_none(value: Value) -> bool:
    """Return whether the value is certainly not *none*."""
    match value:
        case Known():
            return value.value is not None
        case Total():
            return True
        case Nullable() | Guarded():
            return False


def comparable(code: ast.expr, type_: Type) -> ast.expr:
    """Return code for a value that Python's `==` compares correctly: sets become frozensets."""
    return py.call(py.name("frozenset"), code) if isinstance(type_, SetType) else code


@dataclass(slots=True, eq=False)
class Block:
    """A list of statements under construction, such as the body of a loop.

    A statement with an inner block (a loop or an `if`) is appended only after the inner block is complete. Code that
    is moved out of the inner block meanwhile can therefore be appended to the outer block, and runs before it.

    Attributes:
        level: number of loops around the block that bind variables of the task's language; 0 for code that runs once
            per call.
        parent: the enclosing block.
        depth: number of Python loops around the block in the same function.
        body: statements added so far.
        shared: values that the block has computed, by key.
    """

    level: int
    parent: Block | None
    depth: int = 0
    body: list[ast.stmt] = field(default_factory=list)
    shared: dict[object, Value] = field(default_factory=dict)

    def chain(self) -> Iterator[Block]:
        """Yield this block and the enclosing blocks, innermost first."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent

    def find(self, key: object) -> Value | None:
        """Return the value that this block or an enclosing one has computed for a key; None if there is none."""
        for block in self.chain():
            value = block.shared.get(key)
            if value is not None:
                return value
        return None

    def above(self, level: int) -> Block:
        """Return the innermost block whose level is at most `level`: this block or an enclosing one."""
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
    """The values of the variables in a constraint's body or in an inlined call of a definition.

    Attributes:
        envs: for each instance of the constraint, the values of the variables that do not depend on the plan.
        known_names: the variables in `envs`.
        known_level: level of the loop over the instances, from which these variables have a value.
        repeats: repeated parts that are worth computing once, each with a number that equal parts share.
        bound: values of all other variables.
        levels: for each variable in `bound`, the level of the block that binds it.
    """

    envs: Sequence[Env]
    known_names: frozenset[Binding]
    known_level: int
    repeats: Mapping[Expr, int]
    bound: dict[Binding, Value] = field(default_factory=dict)
    levels: dict[Binding, int] = field(default_factory=dict)

    def level_of(self, free: frozenset[Binding]) -> int:
        """Return the outermost level at which all of these variables have a value."""
        levels, names = self.levels, self.known_names
        return max((self.known_level if name in names else levels[name] for name in free), default=0)


class SplitInstancesError(Exception):
    """A value is *none* for some instances of a constraint but not for others. The two groups need different code.

    Attributes:
        absent: for each instance, whether the value is *none*.
    """

    def __init__(self, absent: Sequence[bool]) -> None:
        super().__init__()
        self.absent = tuple(absent)


class UnsupportedExpressionError(Exception):
    """Python cannot compile the code for an expression, so the interpreter must evaluate it."""
