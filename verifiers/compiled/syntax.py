"""Constructors of Python syntax trees for generated code, without positions for each node.

Python requires a position for every expression and statement. All nodes share one position in a class
attribute, because setting it on each node would take longer than the rest of the generation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import Any

LOAD = ast.Load()
STORE = ast.Store()


class _Placed:
    lineno = 1
    col_offset = 0
    end_lineno: int | None = 1
    end_col_offset: int | None = 0


class _Name(_Placed, ast.Name): ...


class _Constant(_Placed, ast.Constant): ...


class _Attribute(_Placed, ast.Attribute): ...


class _Call(_Placed, ast.Call): ...


class _Compare(_Placed, ast.Compare): ...


class _BoolOp(_Placed, ast.BoolOp): ...


class _BinOp(_Placed, ast.BinOp): ...


class _UnaryOp(_Placed, ast.UnaryOp): ...


class _IfExp(_Placed, ast.IfExp): ...


class _NamedExpr(_Placed, ast.NamedExpr): ...


class _Tuple(_Placed, ast.Tuple): ...


class _List(_Placed, ast.List): ...


class _Dict(_Placed, ast.Dict): ...


class _Subscript(_Placed, ast.Subscript): ...


class _Assign(_Placed, ast.Assign): ...


class _AugAssign(_Placed, ast.AugAssign): ...


class _Expr(_Placed, ast.Expr): ...


class _If(_Placed, ast.If): ...


class _For(_Placed, ast.For): ...


class _Return(_Placed, ast.Return): ...


class _Yield(_Placed, ast.Yield): ...


class _Break(_Placed, ast.Break): ...


class _Continue(_Placed, ast.Continue): ...


class _FunctionDef(_Placed, ast.FunctionDef):
    type_params: list[Any] = []  # noqa: RUF012 - a field of the base class from Python 3.12 on


class _Arg(_Placed, ast.arg): ...


_COMPARISONS: dict[str, ast.cmpop] = {
    "==": ast.Eq(),
    "!=": ast.NotEq(),
    "<": ast.Lt(),
    "<=": ast.LtE(),
    ">": ast.Gt(),
    ">=": ast.GtE(),
    "is": ast.Is(),
    "is not": ast.IsNot(),
    "in": ast.In(),
    "not in": ast.NotIn(),
}
_OPERATORS: dict[str, ast.operator] = {
    "+": ast.Add(),
    "-": ast.Sub(),
    "*": ast.Mult(),
    "//": ast.FloorDiv(),
    "%": ast.Mod(),
}
_AND, _OR, _NOT, _MINUS = ast.And(), ast.Or(), ast.Not(), ast.USub()

BREAK: ast.stmt = _Break()
CONTINUE: ast.stmt = _Continue()
NONE: ast.expr = _Constant(None)
TRUE: ast.expr = _Constant(True)
FALSE: ast.expr = _Constant(False)
ZERO: ast.expr = _Constant(0)
NOTHING: ast.expr = _Tuple([], LOAD)
EMPTY_LIST: ast.expr = _List([], LOAD)
EMPTY_DICT: ast.expr = _Dict([], [])


def name(identifier: str) -> ast.expr:
    """Return a reference to a variable."""
    return _Name(identifier, LOAD)


def constant(value: bool | int | str | None) -> ast.expr:
    """Return a literal."""
    return _Constant(value)


def attribute(value: ast.expr, column: str) -> ast.expr:
    """Return `value.column`; `column` may be a reserved word of Python, such as `from`."""
    return _Attribute(value, column, LOAD)


def call(function: ast.expr, *args: ast.expr) -> ast.expr:
    """Return `function(args)`."""
    return _Call(function, list(args), [])


def item(collection: ast.expr, key: ast.expr) -> ast.expr:
    """Return `collection[key]`."""
    return _Subscript(collection, key, LOAD)


def tuple_(items: Sequence[ast.expr]) -> ast.expr:
    """Return a tuple expression."""
    return _Tuple(list(items), LOAD)


def list_(items: Sequence[ast.expr]) -> ast.expr:
    """Return a list expression."""
    return _List(list(items), LOAD)


def compare(left: ast.expr, op: str, right: ast.expr) -> ast.expr:
    """Return `left op right`."""
    return _Compare(left, [_COMPARISONS[op]], [right])


def chain(operands: Sequence[ast.expr], ops: Sequence[str]) -> ast.expr:
    """Return the comparison chain `a op b op c`, in which each operand is evaluated once."""
    return _Compare(operands[0], [_COMPARISONS[op] for op in ops], list(operands[1:]))


def is_none(code: ast.expr) -> ast.expr:
    """Return `code is None`."""
    return compare(code, "is", NONE)


def is_present(code: ast.expr) -> ast.expr:
    """Return `code is not None`."""
    return compare(code, "is not", NONE)


def is_literal(code: ast.expr, value: bool) -> bool:
    """Return whether the code is the literal `True` (if `value`) or `False`."""
    return isinstance(code, ast.Constant) and code.value is value


def conjunction(tests: Sequence[ast.expr]) -> ast.expr:
    """Return `a and b and ...`, without tests that are always true. All tests must be Booleans."""
    operands: list[ast.expr] = []
    for test in tests:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            operands += test.values
        elif not is_literal(test, True):
            operands.append(test)
        if operands and is_literal(operands[-1], False):
            return operands[0] if len(operands) == 1 else _BoolOp(_AND, operands)
    return TRUE if not operands else operands[0] if len(operands) == 1 else _BoolOp(_AND, operands)


def disjunction(tests: Sequence[ast.expr]) -> ast.expr:
    """Return `a or b or ...`, without tests that are always false. All tests must be Booleans."""
    operands = [test for test in tests if not is_literal(test, False)]
    return FALSE if not operands else operands[0] if len(operands) == 1 else _BoolOp(_OR, operands)


def or_nothing(code: ast.expr) -> ast.expr:
    """Return `code or ()`: the elements of a collection, or no elements if it is None."""
    return _BoolOp(_OR, [code, NOTHING])


def negation(test: ast.expr) -> ast.expr:
    """Return `not test`."""
    if isinstance(test, ast.Constant):
        return FALSE if test.value else TRUE
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return _UnaryOp(_NOT, test)


def minus(code: ast.expr) -> ast.expr:
    """Return `-code`."""
    return _UnaryOp(_MINUS, code)


def arithmetic(left: ast.expr, op: str, right: ast.expr) -> ast.expr:
    """Return `left op right`."""
    return _BinOp(left, _OPERATORS[op], right)


def choose(test: ast.expr, then: ast.expr, otherwise: ast.expr) -> ast.expr:
    """Return `then if test else otherwise`."""
    if is_literal(test, True):
        return then
    return otherwise if is_literal(test, False) else _IfExp(test, then, otherwise)


def named(identifier: str, code: ast.expr) -> ast.expr:
    """Return `(identifier := code)`."""
    return _NamedExpr(_Name(identifier, STORE), code)


def assign(identifier: str, code: ast.expr) -> ast.stmt:
    """Return `identifier = code`."""
    return _Assign([_Name(identifier, STORE)], code)


def assign_item(collection: ast.expr, key: ast.expr, code: ast.expr) -> ast.stmt:
    """Return `collection[key] = code`."""
    return _Assign([_Subscript(collection, key, STORE)], code)


def add_to(identifier: str, code: ast.expr) -> ast.stmt:
    """Return `identifier += code`."""
    return _AugAssign(_Name(identifier, STORE), _OPERATORS["+"], code)


def expression_statement(code: ast.expr) -> ast.stmt:
    """Return a statement that evaluates an expression and ignores its value."""
    return _Expr(code)


def if_(test: ast.expr, then: list[ast.stmt], otherwise: Sequence[ast.stmt] = ()) -> ast.stmt:
    """Return `if test: then else: otherwise`."""
    return _If(test, then, list(otherwise))


def loop(targets: Sequence[str], source: ast.expr, body: list[ast.stmt], unbroken: Sequence[ast.stmt] = ()) -> ast.stmt:
    """Return `for targets in source: body else: unbroken`."""
    stores: list[ast.expr] = [_Name(target, STORE) for target in targets]
    target = stores[0] if len(stores) == 1 else _Tuple(stores, STORE)
    return _For(target, source, body, list(unbroken))


def return_(code: ast.expr) -> ast.stmt:
    """Return `return code`."""
    return _Return(code)


def yield_(code: ast.expr) -> ast.stmt:
    """Return `yield code`."""
    return expression_statement(_Yield(code))


def function(identifier: str, params: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    """Return `def identifier(params): body`."""
    args = ast.arguments([], [_Arg(param) for param in params], None, [], [], None, [])
    return _FunctionDef(identifier, args, body, [])


def size(body: Iterable[ast.stmt]) -> int:
    """Return the number of nodes of statements. Nodes in inner loops are not included."""
    count = 0
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.For):
            count += 1
            pending += ast.iter_child_nodes(node)
    return count


def load(functions: list[ast.stmt], names: dict[str, Any]) -> None:
    """Define functions from syntax trees in the dictionary `names`, which is also their globals."""
    run(module(functions), names)


def module(functions: list[ast.stmt]) -> CodeType:
    """Compile functions from syntax trees to a code object. No source text is generated."""
    return compile(ast.Module(functions, []), "<planspec>", "exec", dont_inherit=True)


def run(code: CodeType, names: dict[str, Any]) -> None:
    """Define the functions of a code object in the dictionary `names`, which is also their globals."""
    exec(code, names)  # noqa: S102 - a code object made from checked trees
