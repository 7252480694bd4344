"""Terms of one shape are written as one expression over a range, a grid, pairs, or a table of facts."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from planspec.foreign_models.families import Families, Names
from planspec.foreign_models.terms import COMPARISON, DEFAULT, SUM, Term, chain, compare, infix, join, number


def cell(*index: int) -> Term:
    """Return a cell of the array `x`."""
    holes = ", ".join(["{}"] * len(index))
    return join(f"x[{holes}].value", index, 10, 0)


def family_text(terms: list[Term], *, repeats: bool = False) -> str | None:
    """Return `all(...)` over the terms, or None if they are not a family (terms of one shape)."""
    family = Families(Names(["x"]), {}).family(terms, repeats=repeats)
    return None if family is None else family.inside("all({} for @)").text()


CASES: dict[str, tuple[list[Term], str | None]] = {
    "range": ([cell(i) for i in range(4)], "all(x[i].value for i in 0..3)"),
    "offset": (
        [compare("<", cell(i), cell(i + 1)) for i in range(3)],
        "all(x[i].value < x[i + 1].value for i in 0..2)",
    ),
    "slice": ([cell(2, i) for i in range(3)], "all(x[2, i].value for i in 0..2)"),
    "grid": ([cell(i, j) for i in (1, 2) for j in (0, 1)], "all(x[i, j].value for i in 1..2 for j in 0..1)"),
    "pairs": (
        [compare("!=", cell(a), cell(b)) for a, b in itertools.combinations(range(4), 2)],
        "all(x[i].value != x[j].value for i in 0..2 for j in i + 1..3)",
    ),
    "facts": (
        [compare("<", cell(i), number(value)) for i, value in enumerate([5, 3, 4])],
        "all(x[r.a].value < r.b for r in Terms if r.set == 0)",
    ),
    "sum in parentheses": (
        [compare("<", infix("-", cell(i), number(i + 5), SUM), number(0)) for i in range(3)],
        "all(x[i].value - (i + 5) < 0 for i in 0..2)",
    ),
    "two": ([cell(0), cell(1)], None),
    "other shapes": ([cell(0), cell(1), compare("<", cell(2), number(1))], None),
    "equal": ([cell(0)] * 3, None),
}


@pytest.mark.parametrize("name", CASES)
def test_terms_of_one_shape_become_one_expression(name: str) -> None:
    terms, expected = CASES[name]
    assert family_text(terms) == expected


def test_repeated_terms_are_merged_only_if_repetitions_do_not_matter() -> None:
    terms = [cell(0), cell(0), cell(1), cell(2)]
    assert family_text(terms) == "all(x[i].value for i in 0..2)"
    assert family_text(terms, repeats=True) == "all(x[r.a].value for r in Terms if r.set == 0)"


def test_sets_of_one_shape_share_a_table() -> None:
    families = Families(Names([]), {(9, 7, 8): "cost"})
    texts = []
    for values in ([9, 7, 8], [1, 5, 2], [9, 7, 8]):
        family = families.family([compare("<", cell(i), number(value)) for i, value in enumerate(values)])
        assert family is not None
        texts.append(family.inside("any({} for @)").text())
    assert texts == [f"any(x[r.a].value < r.cost for r in Terms if r.set == {n})" for n in (0, 1, 0)]
    (table,) = families.tables
    assert table.columns == ("a", "cost")
    assert list(table.sets) == [((0, 9), (1, 7), (2, 8)), ((0, 1), (1, 5), (2, 2))]


def test_nested_families_have_different_variables() -> None:
    families = Families(Names(["x", "i"]), {})
    rows: list[Term] = []
    for a in range(3):
        family = families.family([cell(a, b) for b in range(4)])
        assert family is not None
        rows.append(compare(">", family.inside("sum({} for @)"), number(0)))
    outer = families.family(rows)
    assert outer is not None
    assert outer.inside("all({} for @)").text() == "all(sum(x[j, i2].value for i2 in 0..3) > 0 for j in 0..2)"


def test_a_long_chain_is_split() -> None:
    terms = [join("y{}", (n,), COMPARISON, DEFAULT) for n in range(60)]
    text = chain("and", terms, 3).text()
    assert text.count("(") == 3
    assert text.count(" and ") == 59


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: infix("*", number(-3), infix("+", cell(0), number(1), SUM), 8), "-3 * (x[0].value + 1)"),
        (
            lambda: compare("==", compare("<", cell(0), number(1)), compare(">", cell(1), number(-2))),
            "(x[0].value < 1) == (x[1].value > -2)",
        ),
    ],
)
def test_only_necessary_parentheses_are_written(make: Callable[[], Term], text: str) -> None:
    assert make().text() == text
