"""Readings (other interpretations of a suite's tasks), as the suite's document declares them."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.documents.documents import Suite, read_suite, task_from_path
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.model.reading import Reading
from planspec.dsl.workspace.workspace import Workspace

TASK = """planspec: task/1
id: call
query: A call.
given: {reading: whole, hours: [1, 2], note: "a, b", late: false}
plan: {call: {one: true, start: time}}
constraints:
  early:
    hard: call.start < 12:00 or late or reading == "some" or count(h for h in hours) > 2
"""
SUITE = "planspec: suite/1\nid: calls\ntasks: [call.task.yaml]\nreadings:\n"


def suite_of(folder: Path, readings: str) -> tuple[Suite, tuple[Diagnostic, ...]]:
    """Write a suite with this section of readings. Return the suite, and its diagnostics."""
    (folder / "call.task.yaml").write_text(TASK)
    path, report, workspace = folder / "calls.suite.yaml", Report(), Workspace()
    path.write_text(SUITE + readings)
    document = workspace.open(path, report)
    assert document is not None
    return read_suite(document, workspace, report), report.ordered()


def test_a_suite_has_its_readings_in_order(tmp_path: Path) -> None:
    suite, wrong = suite_of(tmp_path, "  whole: {expects: unique}\n  some-1:\n    givens:\n      reading: some\n")
    assert not wrong
    assert list(suite.readings.values()) == [Reading("whole", {}, "unique"), Reading("some-1", {"reading": "some"})]


@pytest.mark.parametrize(
    ("value", "text", "meaning"),
    [
        ("hours: [3, 4]", "[3, 4]", (3, 4)),
        ("hours:\n        - 3\n        - 4", "[3, 4]", (3, 4)),
        ('note: "x: y, [z]"', '"x: y, [z]"', "x: y, [z]"),
        ("note: >-\n        x\n        y", '"x y"', "x y"),
        ("note: it's, fine", "it's, fine", "it's, fine"),
        ("late: true", "true", True),
    ],
)
def test_givens_of_a_reading_are_stored_as_yaml_and_read_by_the_task(
    tmp_path: Path, value: str, text: str, meaning: object
) -> None:
    suite, wrong = suite_of(tmp_path, f"  other:\n    givens:\n      {value}\n")
    assert not wrong
    name = value.partition(":")[0]
    assert suite.readings["other"].given == {name: text}
    task = task_from_path(suite.tasks[0], reading=suite.readings["other"])
    assert (task.givens[name], task.reading, task.certificate_id) == (meaning, "other", "call~other")


@pytest.mark.parametrize(
    ("readings", "code", "marked"),
    [
        ("  all: {expects: unique}\n", "PS011", "all"),
        ("  'a b': {expects: unique}\n", "PS011", "'a b'"),
        ("  other: {}\n", "PS010", "other"),
        ("  other:\n", "PS011", "other"),
        ("  other: {given: {late: true}}\n", "PS009", "given"),
        ("  other: {expects: uniqe}\n", "PS016", "uniqe"),
        ("  other: {givens: late}\n", "PS011", "late"),
        ("  other: {givens: {a b: 1}}\n", "PS011", "a b"),
        ("  - other\n", "PS011", "- other"),
    ],
)
def test_a_mistake_is_reported_at_its_position(tmp_path: Path, readings: str, code: str, marked: str) -> None:
    suite, (wrong, *_) = suite_of(tmp_path, readings)
    assert (wrong.code, wrong.span.text) == (code, marked)
    assert not suite.readings


def test_a_suite_with_a_blank_section_of_readings_has_none(tmp_path: Path) -> None:
    suite, wrong = suite_of(tmp_path, "")
    assert not wrong
    assert not suite.readings


def test_a_reading_determines_the_expected_result_and_the_hash(tmp_path: Path) -> None:
    (tmp_path / "call.task.yaml").write_text(TASK + "expects: unique\nreference: {call: {start: 10:00}}\n")
    plain, late, early = (
        task_from_path(tmp_path / "call.task.yaml", reading=reading)
        for reading in (None, Reading("late", {"late": "true"}), Reading("early", {}, "infeasible"))
    )
    assert (plain.expected, late.expected, early.expected) == ("unique", "unique", "infeasible")
    assert plain.hash == early.hash != late.hash
    assert late.hash == task_from_path(tmp_path / "call.task.yaml", given={"late": "true"}).hash
    assert late.reference == plain.reference
    assert early.reference is None


def test_givens_of_a_reading_take_precedence_over_those_of_turns(tmp_path: Path) -> None:
    path = tmp_path / "call.task.yaml"
    path.write_text(
        TASK.replace("query: A call.\n", "turns: [{query: A call.}, {query: Later., given: {late: true}}]\n")
    )
    reading = Reading("early", {"late": "false"})
    assert [task_from_path(path, turn=turn).givens["late"] for turn in (1, 2)] == [False, True]
    read = [task_from_path(path, turn=turn, reading=reading) for turn in (1, 2)]
    assert [(task.givens["late"], task.certificate_id) for task in read] == [
        (False, "call@1~early"),
        (False, "call@2~early"),
    ]


def test_the_formatter_keeps_readings_as_data() -> None:
    text = f"{SUITE}  whole:   {{givens: {{reading: whole}}, expects: unique}}\n"
    assert format_text(text) == f"{SUITE}  whole: {{givens: {{reading: whole}}, expects: unique}}\n"
