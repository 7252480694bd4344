"""`planspec.test` compares the verdict on each case (an answer in a task) with the expected one."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import planspec
from planspec.api.cases.expectations import differences
from planspec.api.cases.junit import junit_report
from planspec.api.cases.report import CaseReport, CaseResult, TaskTest
from planspec.api.profiles import unjudged_verdict
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.cases import read_cases
from planspec.runs.running import fingerprint
from planspec.verifiers.meaning.verdict import SourcePlace
from tests.planspec.api.cases.afternoon import AFTERNOON, task, text_with_cases
from tests.planspec.api.cases.test_answers import TURNS

LATE = "from: reference, change: {visits: {museum: {end: 15:45}}}"
AS_EXPECTED = [
    "reference: {passes: true}",
    "reference: {passes: true, soft: [], margin: {purse: 1 EUR, 'length[park]': 0min}}",
    "a: {answer: reference, passes: true, margin: {purse: +1.00 EUR}}",
    f"a: {{{LATE}, violates: [length, order]}}",
    f"a: {{{LATE}, violates: ['length[museum]', order], margin: {{'length[museum]': -15min, order: -15min}}}}",
    "a: {from: reference, change: {visits: {park: {start: 16:15, end: 17:45}}}, passes: true}",
    "a: {from: reference, change: {visits: {park: {start: 16:15, end: 17:45}}}, passes: true, soft: [early]}",
    "a: {from: reference, change: {lunch: {cost: 12 EUR}}, violates: [purse], margin: {purse: -2 EUR}}",
    "a: {from: reference, change: {visits: {park: none}}, violates: ['length[park]', order]}",
    "a: {from: reference, change: {visits: {park: none, +: [{stop: park, start: 15:30, end: 17:00}]}}, passes: true}",
    "a: {from: reference, change: {notes: {+: [{text: hot}]}}, passes: true}",
    "a: {from: reference, change: {visits: []}, violates: [length, order]}",
    "a: {from: reference, change: {visits: {park: {end: soon}}}, violates: [length], shape: [wrong-type], soft: [early]}",
    "a: {from: reference, change: {lunch: {cost: none}}, violates: [purse], shape: [missing-column]}",
    "a: {answer: [1], undelivered: true}",
    "a: {answer: sorry.txt, undelivered: true}",
    "a: {answer: good.json, passes: true}",
    "a: {from: good.json, change: {lunch: {cost: 30 EUR}}, violates: [purse]}",
]
DIFFERS = [
    ("reference: {violates: [order]}", "hard order: expected violated, found satisfied (0min)"),
    ("reference: {undelivered: true}", "expected undelivered, found a plan"),
    ("reference: {passes: true, soft: [early]}", "soft early: expected violated, found satisfied (+29min)"),
    ("reference: {passes: true, margin: {purse: -1 EUR}}", "margin purse: expected -1 EUR, found +1.00 EUR"),
    ("reference: {shape: [wrong-type]}", "shape wrong-type: expected violated, found nothing"),
    ("a: {answer: sorry.txt, passes: true}", "expected a plan, found undelivered"),
    (f"a: {{{LATE}, violates: [length]}}", "hard order: expected satisfied, found violated (-15min)"),
    (
        f"a: {{{LATE}, violates: ['length[park]', 'length[museum]', order]}}",
        "hard length[park]: expected violated, found satisfied",
    ),
    (
        "a: {from: reference, change: {visits: {park: {end: soon}}}, violates: [length]}",
        "shape wrong-type: expected nothing, found violated",
    ),
]


@pytest.fixture(autouse=True)
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write two files of answers beside the task."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sorry.txt").write_text("I am sorry.")
    good = {
        "visits": [
            {"stop": "museum", "start": "14:00", "end": "15:30"},
            {"stop": "park", "start": "16:00", "end": "17:30"},
        ],
        "lunch": {"at": "12:00", "cost": 5},
        "notes": [],
    }
    (tmp_path / "good.json").write_text(json.dumps({"task": "afternoon", "plan": good}))


@pytest.mark.parametrize("case", AS_EXPECTED)
def test_a_case_whose_verdict_matches_is_as_expected(case: str) -> None:
    report = planspec.test(task(case))
    assert report.as_expected, str(report)
    assert str(report).endswith("1 case of 1 task: 1 as expected")


@pytest.mark.parametrize(("case", "message"), DIFFERS)
def test_differences_from_the_expected_verdict_are_reported(case: str, message: str) -> None:
    report = planspec.test(task(case))
    assert report.as_expected is False
    (result,) = report.cases
    (difference,) = result.differences
    lines = str(result).splitlines()
    assert lines[0] == f"x afternoon: {result.name}  task.yaml:{AFTERNOON.count(chr(10)) + 2}"
    assert lines[1].strip().startswith(message)
    assert difference.finding is None or difference.finding.constraint or difference.expected


def test_cases_change_neither_the_hash_of_a_task_nor_its_verdicts() -> None:
    bare, more = planspec.loads(AFTERNOON), task("reference: {passes: true}", "broken: {}")
    assert bare.hash == more.hash
    assert fingerprint(bare) == fingerprint(more)
    assert str(planspec.verify(bare, bare.reference)) == str(planspec.verify(more, more.reference))
    first = AFTERNOON.replace("types:", "cases:\n  a: {passes: true}\ntypes:")
    assert planspec.loads(first).hash == bare.hash
    assert planspec.loads(AFTERNOON.replace("10 EUR", "11 EUR")).hash != bare.hash


def test_each_turn_is_judged_by_its_own_constraints(tmp_path: Path) -> None:
    nine = "answer: {visits: [{day: 2026-07-01, start: 9:00}]}"
    cases = [
        f"first: {{{nine}, at: 1, passes: true}}",
        f"second: {{{nine}, violates: [late]}}",
        "reference: {passes: true}",
    ]
    path = tmp_path / "later.task.yaml"
    path.write_text(text_with_cases(*cases, text=TURNS))
    report = planspec.test(path, coverage=True)
    assert [(case.task, case.name, case.as_expected) for case in report.cases] == [
        ("later@1", "first", True),
        ("later@2", "second", True),
        ("later@2", "reference", True),
    ]
    assert [task.task for task in report.tasks] == ["later"]
    assert report.coverage is not None
    assert [(c.constraint, c.violated, c.satisfied) for c in report.coverage] == [("some", 0, 3), ("late", 1, 1)]
    assert [case.name for case in planspec.test("later.task.yaml@1").cases] == ["first"]


def test_cases_with_errors_are_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "afternoon.task.yaml"
    path.write_text(text_with_cases("a: {answer: reference, violates: [ordr]}"))
    with pytest.raises(planspec.DiagnosticError) as caught:
        planspec.test(path)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["PS605"]


def test_an_answer_that_takes_too_long_is_neither_as_expected_nor_unexpected() -> None:
    tested = task("reference: {passes: true}")
    (case,) = read_cases(tested, Report())
    late = unjudged_verdict(planspec.verify(tested, tested.reference), "not judged: it takes too many steps")
    (difference,) = differences(case, late)
    assert (difference.aspect, difference.expected, difference.found) == ("time", "a verdict", "not judged")
    result = CaseResult(
        task="a",
        name="b",
        source=SourcePlace(file="a.yaml", line=1, column=1),
        status="fail",
        differences=(difference,),
    )
    assert result.as_expected is None
    assert CaseReport((TaskTest(task="a", cases=(result,)),)).as_expected is None
    assert "expected a verdict, found not judged: not judged: it takes" in str(result)


def test_coverage_counts_the_cases_in_which_a_constraint_is_violated_or_satisfied() -> None:
    report = planspec.test(
        task("reference: {passes: true}", f"a: {{{LATE}, violates: [length, order]}}"), coverage=True
    )
    assert report.coverage is not None
    counts = {c.constraint: (c.violated, c.satisfied) for c in report.coverage}
    assert counts == {"length": (1, 2), "order": (1, 1), "purse": (0, 2), "hungry": (0, 0), "early": (0, 2)}
    lines = str(report).splitlines()
    assert lines[2] == "coverage: 2 of 5 constraints are violated in one case and satisfied in another"
    assert [" ".join(line.split()[:-1]) for line in lines[3:6]] == [
        "purse never violated",
        "hungry neither violated nor satisfied",
        "early never violated",
    ]


def test_a_library_constraint_shared_by_tasks_and_processes_is_counted_once(tmp_path: Path) -> None:
    library, _, rest = AFTERNOON.partition("constraints:\n")
    rules, _, reference = rest.partition("reference:")
    plan = (
        library[library.index("types:") :]
        .replace("currency: EUR\n", "")
        .replace("given: {late: false}", "given: {late: bool = false}")
    )
    (tmp_path / "stops.library.yaml").write_text(f"planspec: library/1\nid: stops\n{plan}constraints:\n{rules}")
    for name, case in (
        ("one", "reference: {passes: true}"),
        ("two", f"a: {{{LATE}, violates: [length, order]}}"),
    ):
        head = f"planspec: task/1\nid: {name}\nuses: [stops]\nquery: A walk.\ncurrency: EUR\nreference:{reference}"
        (tmp_path / f"{name}.task.yaml").write_text(text_with_cases(case, text=head))
    (tmp_path / "three.task.yaml").write_text(
        f"planspec: task/1\nid: three\nuses: [stops]\nquery: A walk.\ncurrency: EUR\nreference:{reference}"
    )
    reports = [planspec.test(tmp_path, coverage=True, mutate=True, jobs=jobs) for jobs in (1, 2)]
    assert reports[0] == reports[1]
    assert (len(reports[0].tasks), reports[0].without) == (2, 1)
    assert [(c.constraint, c.violated, c.satisfied) for c in reports[0].coverage or ()][:2] == [
        ("length", 1, 2),
        ("order", 1, 1),
    ]
    assert len({(m.constraint, m.change, m.source) for m in reports[0].mutants or ()}) == len(reports[0].mutants or ())
    assert str(reports[0]).endswith("2 cases of 2 tasks: 2 as expected; 1 task without")


def test_junit_has_each_case_and_its_differences() -> None:
    report = planspec.test(task("reference: {passes: true}", "a: {answer: reference, violates: [order]}"))
    root = ET.fromstring(junit_report(report, ["gone.task.yaml"]))
    assert root.attrib == {"tests": "3", "failures": "1", "errors": "1"}
    good, bad, gone = root.iter("testcase")
    assert (good.get("name"), list(good)) == ("reference", [])
    failure = bad.find("failure")
    assert failure is not None
    assert str(failure.text).startswith("hard order: expected violated, found satisfied (0min)  task.yaml:")
    assert gone.find("error") is not None


def test_loading_a_task_does_not_read_its_cases() -> None:
    tested = task("a: {answer: gone.json, passes: true}")
    assert planspec.verify(tested, tested.reference).status == "pass"
    report = Report()
    assert read_cases(tested, report) == ()
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["PS604"]
