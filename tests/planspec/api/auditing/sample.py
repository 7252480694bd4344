"""A small suite that has one task for each result of an audit."""

from __future__ import annotations

from pathlib import Path

SUITE = "planspec: suite/1\nid: numbers\ntitle: Numbers\ntasks: [numbers.tasks.yaml]\n"


def number_task(name: str, rule: str, rest: str = "", *, kind: str = "plain", query: str | None = None) -> str:
    """Return the text of a task whose plan is one number from 1 to 5.

    Args:
        name: id of the task.
        rule: its constraint on `t.x`.
        rest: further sections.
        kind: value under `meta`.
        query: its query; the rule and the id by default.
    """
    return (
        f"planspec: task/1\nid: {name}\nquery: '{query or f'{rule}, {name}'}'\nmeta: {{kind: {kind}, size: 1}}\n"
        "plan: {t: {one: true, x: int}}\nscope: {t: {x: 1..5}}\n"
        f"constraints: {{c: {{hard: {rule}}}}}\n{rest}"
    )


LAZY = """\
planspec: task/1
id: lazy
query: Meet at most two of three people.
types: {Who: ann | bob | cy}
plan: {meetings: {who: key Who}}
scope: {meetings: [{for: w in Who, who: w, optional: true}]}
constraints: {few: {hard: count(m for m in meetings) <= 2}}
"""
TURNS = """\
planspec: task/1
id: talk
plan: {t: {one: true, x: int}}
scope: {t: {x: 1..5}}
constraints: {low: {hard: t.x <= 2}}
turns:
  - query: A number of at most 2.
  - query: And above 1.
    constraints: {high: {hard: t.x > 1}}
"""
UNIQUE = "expects: unique\nreference: {t: {x: 3}}\n"
TASKS = {
    "fine": number_task("fine", "t.x == 3", UNIQUE),
    "twin": number_task("twin", "t.x == 3", UNIQUE),
    "several": number_task("several", "t.x >= 3", "expects: unique\nreference: {t: {x: 4}}\n", kind="loose"),
    "wrong": number_task("wrong", "t.x >= 4", "reference: {t: {x: 2}}\n", kind="loose"),
    "empty": number_task("empty", "t.x >= 7"),
    "gap": number_task("gap", "t.x >= 2", "minimize: t.x\nreference: {t: {x: 4}}\n"),
    "lazy": LAZY,
    "told": number_task("told", "t.x == 4", "reference: {t: {x: 4}}\n", query="t.x == 3, fine"),
    "broken": number_task("broken", "t.y == 3"),
    "talk": TURNS,
}
RESULTS = {
    "fine": "ok",
    "twin": "ok",
    "several": "several",
    "wrong": "none",
    "empty": "none",
    "gap": "gap",
    "lazy": "lazy",
    "told": "text",
    "broken": "none",
    "talk@1": "ok",
    "talk@2": "ok",
}
"""For each task, the result of its audit."""


def write_numbers(folder: Path, *names: str) -> Path:
    """Write the suite with the named tasks, by default all, and return the path of the suite."""
    texts = [TASKS[name] for name in names or TASKS]
    (folder / "numbers.tasks.yaml").write_text("---\n".join(texts))
    suite = folder / "numbers.suite.yaml"
    suite.write_text(SUITE)
    return suite
