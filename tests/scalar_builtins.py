"""Examples of each scalar builtin, which the tests of all implementations use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ScalarBuiltin:
    """Examples of a scalar builtin.

    Attributes:
        values: calls, each with its type and its value by hand. `?` marks a type whose value may be *none*. The plan
            has one visit, to the park, which has no stars. The visit starts at 09:00 and has no end.
        refused: calls that the checker refuses, with the diagnostic's code and the underlined text.
        conditions: conditions over the world of `tests/differential/cases.py`. All implementations must find the same
            plans for each.
        templates: templates of expressions with the builtin, for `tests/differential/grammar.py`, by kind of
            expression.
    """

    values: tuple[tuple[str, str, Any], ...]
    refused: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]
    templates: Mapping[str, tuple[str, ...]]


SCALAR_BUILTINS: Mapping[str, ScalarBuiltin] = {
    "abs": ScalarBuiltin(
        values=(
            ("abs(11:00 - 12:30)", "duration", 90),
            ("abs(3 EUR - 100 EUR)", "money", 9700),
            ("abs(visits[park].start - 10:00)", "duration?", 60),
            ("abs(visits[park].place.stars)", "int?", None),
        ),
        refused=(("abs(1.5 * budget)", "PS310 1.5 * budget"), ("abs(word)", "PS302 word")),
        conditions=(
            "abs(picks[2].n) == 1",
            "abs(picks[1].start - picks[2].start) <= 30min",
            "abs(picks[3].n - 3) < 2",
            "abs(sum(p.n for p in picks) - 2) == 1",
        ),
        templates={"int": ("abs(<int>)",), "duration": ("abs(<duration>)",)},
    ),
    "ceil_div": ScalarBuiltin(
        values=(
            ("ceil_div(7, 2)", "int", 4),
            ("ceil_div(-7, 2)", "int", -3),
            ("ceil_div(90min, 4)", "duration", 23),
            ("ceil_div(0, 30min)", "int", 0),
            ("ceil_div(90min, 2h - 1h)", "int?", 2),
            ("ceil_div(7, 0)", "int?", None),
            ("ceil_div(7, -2)", "int?", None),
            ("ceil_div(visits[park].start - 08:00, 25min)", "int?", 3),
            ("ceil_div(visits[park].place.stars, 2)", "int?", None),
        ),
        refused=(("ceil_div(budget, 30min)", "PS302 budget"),),
        conditions=(
            "ceil_div(picks[2].n, 2) == 0",
            "ceil_div(sum(p.n for p in picks), 2) == 1",
            "ceil_div(limit, picks[3].n) == 1",
        ),
        templates={"int": ("ceil_div(<int>, <divisor>)",)},
    ),
    "day_of_week": ScalarBuiltin(
        values=(
            ("day_of_week(2026-07-01)", "int", 3),
            ("day_of_week(2026-07-05)", "int", 7),
            ("day_of_week(2026-07-01 + count(visits))", "int", 4),
            ("day_of_week(visits[park].day)", "int?", None),
        ),
        refused=(("day_of_week(days)", "PS302 days"),),
        conditions=(
            "day_of_week(2026-07-01 + picks[2].n) == 2",
            "day_of_week(2026-07-03 + picks[3].n) in {5, 7}",
            "all(day_of_week(2026-06-28 + 4 * p.n) > 3 for p in picks)",
            "day_of_week(2026-07-01 + sum(p.n for p in picks)) != 3",
        ),
        templates={"int": ("day_of_week(<date>)", "day_of_week(<date> + <int>)")},
    ),
    "contains": ScalarBuiltin(
        values=(
            ('contains("Old Museum", "Mus")', "bool", True),
            ('contains("Old Museum", "mus")', "bool", False),
            ('contains(visits[park].place.name ?? "park", "ar")', "bool", True),
            ('contains(visits[park].place.name, "a")', "bool", False),
            ('not contains(visits[park].place.name, "a")', "bool", True),
        ),
        refused=(("contains(word, days)", "PS302 days"),),
        conditions=(
            'contains("abc", "b") and picks[1].n == 1',
            'any(contains("x", "y") for p in picks)',
        ),
        templates={"called": ("contains(<text>, <text>)",)},
    ),
}
