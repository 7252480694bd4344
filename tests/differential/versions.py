"""Versions of a task, and the plans on which verdicts differ, found by enumeration."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.judge import judge
from tests.differential.cases import case_task
from tests.differential.plans import all_plans

SCOPE_EDITS = (
    ("      start: ({12:00, 25:00})\n", "      start: 12:00\n"),
    ("      hue: ({red})?\n", "      hue: red\n"),
)
"""Edits of the fixed world of the cases, after which few plans are in scope."""
EDITS: dict[str, tuple[tuple[str, str], ...]] = {
    "nothing": (),
    "facts": (("{id: a, size: 2,", "{id: a, size: -3,"), ("colour: green, mate: b", "colour: red, mate: a")),
    "times": (("at: '09:00'", "at: '12:00'"), ("worth: 30min", "worth: none")),
    "one fact less": (("      - {item: a, n: 1, worth: none, tone: blue}\n", ""),),
    "one row less": (
        ("      - {id: c, size: 3, colour: blue, mate: c, tags: [blue], at: '25:30', price: 0.75 EUR}", ""),
        ("      - {item: c, n: 1, worth: 0min, tone: blue}", ""),
    ),
    "rows in another order": (
        ("      - {id: a, size: 2, colour: red, mate: b, tags: [red, green], at: '09:00', price: 1.50 EUR}\n", ""),
        (
            "price: 0.75 EUR}",
            "price: 0.75 EUR}\n      - {id: a, size: 2, colour: red, mate: b, tags: [red, green], at: '09:00', price: 1.50 EUR}",
        ),
    ),
    "another order of members": (("Colour: red | green | blue", "Colour: blue | red | green"),),
    "givens": (("  limit: 2\n", "  limit: 1\n"), ("  zero: 0\n", "  zero: 2\n")),
    "a wider scope": (
        ("      n: ({0, 2})\n", "      n: ({0, 1, 3})\n"),
        ("      item: ({a, b})\n", "      item: Item\n"),
    ),
    "a scope without a row": (("    - {slot: 1, item: Item, other: none, start: 12:00, n: 1, hue: red}\n", ""),),
    "closed": (("constraints:\n", "closed: true\nconstraints:\n"),),
    "closed over another scope": (
        ("constraints:\n", "closed: true\nconstraints:\n"),
        ("    - slot: 2\n", "    - slot: 4\n"),
        ("    - slot: ({1, 3})\n", "    - slot: 3\n"),
    ),
    "a denial": (("    hard: >-\n      ", "    hard: >-\n      not "),),
}
"""Edits that make another version of a case, keyed by the name of the version."""


def version_text(body: str, edits: tuple[str, ...]) -> str:
    """Return the text of a case's task with a small scope and these edits."""
    text = case_task(f"({body})")
    for old, new in (*SCOPE_EDITS, *(edit for name in edits for edit in EDITS[name])):
        text = text.replace(old, new)
    return text


def accepts(ground: Ground, answer: object) -> bool:
    """Return whether a version accepts an answer: the plan's tables."""
    assert isinstance(answer, dict)
    plan, findings = TABLES.decode(ground.task, answer)
    return judge(ground, plan, [finding.as_finding() for finding in findings], details="none").status == "pass"


def contested_answers(first: Ground, second: Ground) -> Iterator[tuple[str, object]]:
    """Yield the plans in either scope that only one version accepts.

    Each item is the version that accepts, `first` or `second`, and the plan's answer.
    """
    seen: set[str] = set()
    for scope in (first, second):
        for plan in all_plans(scope):
            answer = TABLES.encode(scope.task, plan)
            if repr(answer) in seen:
                continue
            seen.add(repr(answer))
            accepted = accepts(first, answer), accepts(second, answer)
            if accepted[0] != accepted[1]:
                yield "first" if accepted[0] else "second", answer
