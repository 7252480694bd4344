"""`check` reports each error in a case (an answer with its expected verdict) once, and does not judge the case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planspec.api.cases.afternoon import diagnostics_of

CHANGE = "a: {from: reference, violates: [order], change: "
MISTAKES = [
    ("PS011", "a: late.json", "late.json", "a case must be a mapping"),
    ("PS009", "reference: {passes: true, violate: []}", "violate", "a case has no key `violate`"),
    ("PS603", "reference: {}", "reference", "the case `reference` declares no verdict"),
    ("PS603", "reference: {soft: []}", "reference", "the case `reference` declares no verdict"),
    ("PS603", "reference: {passes: true, violates: [order]}", "violates", "a case with `passes` has no `violates`"),
    ("PS603", "reference: {passes: true, shape: [missing-table]}", "shape", "a case with `passes` has no `shape`"),
    ("PS603", "reference: {undelivered: true, soft: [early]}", "soft", "a case with `undelivered` has no `soft`"),
    ("PS603", "reference: {passes: false}", "false", "`passes: false` declares no verdict"),
    ("PS016", "reference: {passes: perhaps}", "perhaps", "`passes` is true or false"),
    ("PS604", "a: {passes: true}", "a", "the case `a` has no answer"),
    ("PS604", "a: {answer: gone.json, passes: true}", "gone.json", "the file `gone.json` is not there"),
    ("PS604", "a: {answer: reference, from: reference, passes: true}", "from", "a case with `answer` has no `from`"),
    ("PS604", "a: {from: reference, passes: true}", "from", "a case with `from` has a `change`"),
    ("PS604", "a: {change: {visits: []}, passes: true}", "change", "a `change` needs an answer that is changed"),
    (
        "PS604",
        "a: {from: text.json, change: {visits: []}, passes: true}",
        "text.json",
        "the answer that is changed is no plan",
    ),
    ("PS011", "a: {from: reference, change: visits, passes: true}", "visits", "`change` must be a mapping"),
    ("PS605", "reference: {violates: [ordr]}", "ordr", "the task has no constraint `ordr`"),
    ("PS605", "reference: {violates: [early]}", "early", "`early` is soft, not hard"),
    ("PS605", "reference: {passes: true, soft: [order]}", "order", "`order` is hard, not soft"),
    (
        "PS605",
        'reference: {violates: ["length[tower]"]}',
        '"length[tower]"',
        "the constraint `length` has no instance `length[tower]`",
    ),
    ("PS605", "reference: {violates: [hungry]}", "hungry", "`hungry` does not apply to the task"),
    ("PS605", "reference: {passes: true, margin: {length: 0min}}", "length", "`length` has 2 instances"),
    ("PS606", CHANGE + "{visit: []}}", "visit", "the plan has no table `visit`"),
    ("PS606", CHANGE + "{visits: {musem: none}}}", "musem", "the answer has no row `musem` in `visits`"),
    ("PS606", CHANGE + "{visits: {museum: {begin: 14:00}}}}", "begin", "`visits` has no column `begin`"),
    ("PS606", CHANGE + "{lunch: {when: 12:00}}}", "when", "`lunch` has no column `when`"),
    ("PS606", CHANGE + "{lunch: none}}", "none", "the change of `lunch` must be a mapping"),
    ("PS606", CHANGE + "{visits: [park]}}", "park", "a row of `visits` must be a mapping"),
    ("PS607", "reference: {passes: true, margin: {purse: one euro}}", "one euro", "`one euro` is no margin"),
    ("PS607", "reference: {passes: true, margin: {purse: [1]}}", "[1]", "a margin is a number with its unit"),
    ("PS608", "reference: {passes: true, at: 1}", "1", "the task has no turn 1"),
]


@pytest.mark.parametrize(
    ("code", "case", "place", "message"), MISTAKES, ids=[f"{code}: {case}" for code, case, _, _ in MISTAKES]
)
def test_an_error_is_reported_at_its_position(code: str, case: str, place: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text('"a nice day"')
    (diagnostics,) = diagnostics_of(tmp_path, case)
    assert (diagnostics.code, diagnostics.span.text, diagnostics.message) == (code, place, message)
    assert diagnostics.severity.value == "error"


def test_the_help_suggests_the_intended_name(tmp_path: Path) -> None:
    diagnostics = diagnostics_of(
        tmp_path,
        "a: {answer: reference, violates: [ordr]}",
        'b: {answer: reference, violates: ["length[museun]"]}',
        "c: {from: reference, change: {visits: {musem: none}}, violates: [order]}",
    )
    assert [diagnostic.help for diagnostic in diagnostics] == [
        "did you mean `order`?",
        "did you mean `length[museum]`?",
        "did you mean `museum`?",
    ]


def test_a_well_formed_case_has_no_error_even_if_its_expected_verdict_is_wrong(tmp_path: Path) -> None:
    assert not diagnostics_of(tmp_path, "reference: {violates: [order]}")


def test_cases_are_a_mapping_and_a_task_without_reference_has_none_to_judge(tmp_path: Path) -> None:
    from tests.planspec.api.cases.afternoon import AFTERNOON

    bare = AFTERNOON[: AFTERNOON.index("reference:")]
    (diagnostics,) = diagnostics_of(tmp_path, "reference: {passes: true}", text=bare)
    assert (diagnostics.code, diagnostics.message) == ("PS604", "the task has no reference")
    (diagnostics,) = diagnostics_of(tmp_path, "- reference")
    assert (diagnostics.code, diagnostics.message) == ("PS011", "`cases` must be a mapping")


TURNS = """\
planspec: task/1
id: later
plan: {visits: {day: key date, start: time}}
scope: {visits: [{day: 2026-07-01, start: 09:00..12:00 step 30min}]}
reference: {visits: [{day: 2026-07-01, start: 10:00}]}
turns:
  - query: Any time.
    constraints: {some: {hard: any(v.start >= 9:00 for v in visits)}}
  - query: Not before ten.
    constraints: {late: {hard: all(v.start >= 10:00 for v in visits)}}
"""


def test_a_case_of_a_turn_may_name_only_constraints_of_that_turn(tmp_path: Path) -> None:
    answer = "{visits: [{day: 2026-07-01, start: 9:00}]}"
    assert not diagnostics_of(tmp_path, f"early: {{answer: {answer}, at: 1, passes: true}}", text=TURNS)
    (diagnostics,) = diagnostics_of(tmp_path, f"early: {{answer: {answer}, at: 1, violates: [late]}}", text=TURNS)
    assert (diagnostics.code, diagnostics.message) == (
        "PS605",
        "the task has no constraint `late` (at turn 1)",
    )
    (diagnostics,) = diagnostics_of(tmp_path, "a: {answer: reference, at: 1, passes: true}", text=TURNS)
    assert diagnostics.message.startswith("the task has no reference here")
    (diagnostics,) = diagnostics_of(tmp_path, "reference: {at: 3, passes: true}", text=TURNS)
    assert (diagnostics.code, diagnostics.message) == ("PS608", "the task has no turn 3")
