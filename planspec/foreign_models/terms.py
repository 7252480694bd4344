"""Expressions of planspec's language as trees, in which equal structures can be recognized.

A term is a format string with placeholders for its parts. Integers are separate leaves. Terms that differ only in
integers have the same skeleton and can be merged into one expression over a range or a table of facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

CHOICE, IMPLICATION, OR, AND, NOT, COMPARISON, DEFAULT, SUM, PRODUCT, SIGN, ATOM = range(11)
"""Precedence levels of the language's operators, from the loosest to the tightest binding."""
WIDTH = 24
"""Maximum number of parts in a chain of operators. Parentheses split a longer chain, since nesting is limited."""


@dataclass(frozen=True, slots=True)
class Term:
    """An expression of the language.

    Attributes:
        form: text of the expression with a placeholder `{}` for each part; other braces are doubled.
        parts: terms and integers for the placeholders, in order.
        level: precedence of the outermost operator.
        needs: for each part, the lowest precedence with which it needs no parentheses.
        depth: maximum number of nested generators in the term.
        cell: whether the term is the field of a row of the plan.
    """

    form: str
    parts: tuple[Part, ...] = ()
    level: int = ATOM
    needs: tuple[int, ...] = ()
    depth: int = 0
    cell: bool = False

    def text(self) -> str:
        """Return the expression as text."""
        return self.form.format(*(self._part_text(i) for i in range(len(self.parts))))

    def _part_text(self, place: int) -> str:
        part = self.parts[place]
        # a part that replaces a constant can have a lower precedence than the constant
        while isinstance(part, Term) and part.form == "{}":
            part = part.parts[0]
        need = self.needs[place]
        if isinstance(part, int):
            return str(part) if part >= 0 or need <= SIGN else f"({part})"
        text = part.text()
        return text if part.level >= need else f"({text})"


Part: TypeAlias = Term | int
Key: TypeAlias = tuple[object, ...]
"""Skeleton of a term: its nested format strings, without integers."""


@dataclass(slots=True)
class _Leaves:
    values: list[int] = field(default_factory=list)


def join(form: str, parts: Sequence[Part], level: int, needs: int | Sequence[int]) -> Term:
    """Return a term from the arguments of `Term`, with the maximum depth of its parts.

    `needs` is an integer if it is the same for every part.
    """
    needed = (needs,) * len(parts) if isinstance(needs, int) else tuple(needs)
    depth = max((part.depth for part in parts if isinstance(part, Term)), default=0)
    return Term(form, tuple(parts), level, needed, depth)


def number(value: int) -> Term:
    """Return an integer as a term."""
    return Term("{}", (value,), ATOM if value >= 0 else SIGN, (CHOICE,))


def constant(term: Term) -> int | None:
    """Return the value of a term that is an integer literal; None for any other term."""
    part = term.parts[0] if term.form == "{}" else None
    return part if isinstance(part, int) else None


def infix(operator: str, left: Term, right: Term, level: int) -> Term:
    """Return two terms joined by a left-associative operator."""
    return join(f"{{}} {operator} {{}}", (left, right), level, (level, level + 1))


def compare(operator: str, left: Term, right: Term) -> Term:
    """Return a comparison."""
    return join(f"{{}} {operator} {{}}", (left, right), COMPARISON, DEFAULT)


def call(name: str, *parts: Term) -> Term:
    """Return a call of a builtin."""
    return join(f"{name}({', '.join(['{}'] * len(parts))})", parts, ATOM, CHOICE)


def chain(operator: str, parts: Sequence[Term], level: int) -> Term:
    """Return parts joined by an operator. More than `WIDTH` parts are joined in nested groups."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) > WIDTH:
        size = max(WIDTH, -(-len(parts) // WIDTH))
        groups = [chain(operator, parts[i : i + size], level) for i in range(0, len(parts), size)]
        return chain(operator, [_enclosed(group) for group in groups], level)
    return join(f" {operator} ".join(["{}"] * len(parts)), parts, level, (level, *(level + 1,) * (len(parts) - 1)))


def _enclosed(term: Term) -> Term:
    return term if term.level == ATOM else join("({})", (term,), ATOM, CHOICE)


def negative(term: Term) -> Term:
    """Return the negated term."""
    value = constant(term)
    return number(-value) if value is not None else join("-{}", (term,), SIGN, ATOM)


def choice(condition: Term, value: Term, other: Term) -> Term:
    """Return `value if condition else other`."""
    return join("{} if {} else {}", (value, condition, other), CHOICE, (IMPLICATION, IMPLICATION, IMPLICATION))


def skeleton(term: Term) -> Key:
    """Return the skeleton of a term. Terms with equal skeletons differ only in integers."""
    return (term.form, *(None if isinstance(part, int) else skeleton(part) for part in term.parts))


def leaves(term: Term) -> list[int]:
    """Return the integers in a term, in the order of the text."""
    return list(_leaves(term))


def _leaves(term: Term) -> Iterator[int]:
    for part in term.parts:
        if isinstance(part, int):
            yield part
        else:
            yield from _leaves(part)


def replace_leaves(term: Term, values: Iterator[Part]) -> Term:
    """Return the term with its integers replaced by other parts."""
    parts = tuple(next(values) if isinstance(part, int) else replace_leaves(part, values) for part in term.parts)
    depth = max((part.depth for part in parts if isinstance(part, Term)), default=0)
    return Term(term.form, parts, term.level, term.needs, max(depth, term.depth), term.cell)
