"""On a suite with readings (different interpretations of its tasks), commands have a result for each task and
reading.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.scores import ReadingScoresOutput
from planspec.errors import NotFoundError
from tests.in_process import attempts_in_process
from tests.planspec.api.test_best_claims import run
from tests.planspec.reading_suite import FIRST_OSLO, FIRST_RIGA, SUITE, write_trips

pytestmark = pytest.mark.slow


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a suite with readings, in a new working directory."""
    monkeypatch.chdir(tmp_path)
    return write_trips(tmp_path)


def results(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """Run planspec, and return its JSON output."""
    capsys.readouterr()
    run(*words, "--format", "json")
    return json.loads(capsys.readouterr().out)


def by_city(plan: Any) -> list[Any]:
    """Return the rows of a plan sorted by city."""
    return sorted(plan["stays"], key=lambda stay: str(stay["city"]))


# -- validate ----------------------------------------------------------------------------------------


def test_each_reading_of_each_task_is_proved(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = results(capsys, "validate", suite)
    assert [(row["task"], row["reading"], row["unique"]["status"], row["as_expected"]) for row in rows] == [
        ("one", "whole", "unique", True),
        ("one", "some", "multiple", True),
        ("two", "whole", "unique", True),
        ("two", "some", "unique", True),
    ]
    assert [row["expected"] for row in rows] == ["unique", "feasible", "unique", "feasible"]


def test_readings_that_disagree_are_distinguished_by_a_plan(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = results(capsys, "validate", suite)
    (difference,) = rows[1]["differences"]
    assert (difference["reading"], difference["passes"], difference["fails"]) == ("whole", "some", "whole")
    assert by_city(difference["plan"]) == by_city(FIRST_OSLO)
    assert [finding["constraint"] for finding in difference["refused"]] == ["event[wedding]"]
    assert not any(row["differences"] for row in (rows[0], *rows[2:]))
    Path("plan.json").write_text(json.dumps(difference["plan"]))
    assert run("verify", "one", "plan.json", "--given", "reading=some") == 0
    assert run("verify", "one", "plan.json", "--given", "reading=whole") == 1


def test_a_reading_without_a_plan_disagrees(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write_text(SUITE + "  none: {givens: {length: 6}, expects: infeasible}\n")
    names = ("--reading", "whole", "--reading", "none")
    _, none, *_ = results(capsys, "validate", suite, *names, "--beyond-scope")
    assert (none["reading"], none["feasible"]["status"], none["as_expected"]) == ("none", "infeasible", True)
    assert [(each["reading"], each["passes"]) for each in none["differences"]] == [("whole", "whole")]


def test_readings_with_different_unique_plans_disagree(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("call.task.yaml").write_text(
        "planspec: task/1\nid: call\nquery: At ten.\ngiven: {at: 10:00}\nplan: {call: {one: true, start: time}}\n"
        "scope: {call: {start: 08:00..23:00 step 1h}}\nconstraints: {ten: {hard: call.start == at}}\n"
    )
    readings = "{morning: {expects: unique}, evening: {givens: {at: 22:00}}, late: {givens: {at: 22:00}}}"
    suite.write_text(f"planspec: suite/1\nid: calls\ntasks: [call.task.yaml]\nreadings: {readings}\n")
    rows = results(capsys, "validate", suite)
    assert [row["unique"]["status"] for row in rows] == ["unique"] * 3
    differences = [(each["reading"], each["passes"], each["plan"]) for row in rows for each in row["differences"]]
    assert differences == [("morning", "morning", {"call": {"start": "10:00"}})]


def test_validate_prints_a_line_for_each_task_and_reading_and_a_summary_by_reading(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("validate", suite) == 0
    out, err = capsys.readouterr()
    assert [line.partition(":")[0] for line in out.splitlines() if line[0] != " "] == [
        "one~whole",
        "one~some",
        "two~whole",
        "two~some",
    ]
    assert "  differs from whole: a plan that passes in some and fails in whole:\n" in out
    assert "whole: 2 tasks: 2 as expected\nsome: 2 tasks: 2 as expected\nthe readings differ on 1 task\n" in err


@pytest.mark.thorough
def test_a_reading_is_chosen_by_its_name(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = results(capsys, "validate", suite, "--reading", "some")
    assert [(row["task"], row["reading"]) for row in rows] == [("one", "some"), ("two", "some")]
    assert len(results(capsys, "validate", suite, "--reading", "all")) == 4
    assert len(results(capsys, "validate", suite, "--jobs", "2")) == 4
    assert run("validate", suite, "--reading", "sme") == 2
    assert "the suite has no reading `sme`; did you mean `some`?" in capsys.readouterr().err
    assert run("validate", "one", "--reading", "some") == 2
    assert "no suite with `readings` was named" in capsys.readouterr().err
    assert run("validate", suite, "--given", "reading=some") == 2
    assert "the reading `whole` sets `reading`, for which another value is given" in capsys.readouterr().err


def test_certificates_of_readings_are_beside_those_of_tasks(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("validate", suite, "--certify", "--quiet") == 0
    names = sorted(path.name for path in Path("certificates").iterdir())
    assert names == [f"{task}{reading}.json" for task in ("one", "two") for reading in ("", "~some", "~whole")]
    certificates = [json.loads((Path("certificates") / name).read_text()) for name in names]
    assert (
        len({each["hash"] for each in certificates[:3]}) == 2
    )  # a task without a reading is judged as in the reading `whole`
    checked = results(capsys, "validate", suite, "--check", "--reading", "some")
    assert [(each["task"], each["reading"], each["status"]) for each in checked] == [
        ("one", "some", "valid"),
        ("two", "some", "valid"),
    ]
    assert run("validate", suite, "--check", "--quiet") == 0
    suite.write_text(SUITE.replace("expects: feasible", "expects: unique"))
    assert run("validate", suite, "--check", "--quiet") == 1
    suite.write_text(SUITE.replace("reading: some", "reading: whole"))
    statuses = [each["status"] for each in results(capsys, "validate", suite, "--check", "--reading", "some")]
    assert statuses == ["wrong", "stale"]  # the second plan of `one` does not pass any more
    suite.write_text(SUITE)
    Path("certificates/two~some.json").write_text(Path("certificates/two.json").read_text())
    wrong = results(capsys, "validate", suite, "--check", "--reading", "some")[1]
    assert (wrong["status"], wrong["reasons"]) == ("wrong", ["it is the certificate of `two`"])


def test_certified_readings_are_not_proved_again(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("validate", suite, "--certify", "--quiet") == 0
    rows = results(capsys, "validate", suite, "--certify", "--resume", "--reading", "all")
    assert [(row["reading"], row["by_certificate"]) for row in rows] == [("whole", True), ("some", True)] * 2
    assert rows[1]["differences"][0]["passes"] == "some"


def test_each_turn_has_a_result_and_a_certificate_in_each_reading(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("talk.task.yaml").write_text(
        "planspec: task/1\nid: talk\ngiven: {opens: 10:00}\nplan: {visit: {one: true, start: time}}\n"
        "turns: [{query: A visit.}, {query: Later., given: {opens: 11:00}}]\n"
        "scope: {visit: {start: 08:00..12:00 step 1h}}\nconstraints: {open: {hard: visit.start >= opens}}\n"
    )
    readings = "{noon: {givens: {opens: 12:00}}, ten: {givens: {opens: 10:00}}}"
    suite.write_text(f"planspec: suite/1\nid: talks\ntasks: [talk.task.yaml]\nreadings: {readings}\n")
    rows = results(capsys, "validate", suite, "--certify")
    assert [(row["task"], row["reading"], row["unique"]["status"]) for row in rows] == [
        ("talk@1", None, "multiple"),
        ("talk@2", None, "multiple"),
        ("talk@1", "noon", "unique"),
        ("talk@2", "noon", "unique"),
        ("talk@1", "ten", "multiple"),
        ("talk@2", "ten", "multiple"),
    ]
    assert [[each["passes"] for each in row["differences"]] for row in rows] == [[], [], [], [], ["ten"], ["ten"]]
    assert Path("certificates/talk@2~noon.json").exists()
    assert run("validate", suite, "--check") == 0


# -- score -------------------------------------------------------------------------------------------


@pytest.fixture
def answers(suite: Path) -> Path:
    """Return a file of answers to the tasks of the suite."""
    path = suite.with_name("answers.jsonl")
    rows = [{"task": "one", "plan": FIRST_OSLO}, {"task": "two", "plan": FIRST_RIGA}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_answers_are_judged_in_each_reading(suite: Path, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("score", answers, "--suite", suite) == 1
    out = capsys.readouterr().out
    assert "reading                   whole    some\n" in out
    assert "pass_rate                0.5000  1.0000\n" in out
    assert "the readings disagree on 1 answer\n  one: passes in some; fails in whole: event[wedding]\n" in out
    assert run("score", answers, "--suite", suite, "--reading", "some") == 0
    assert "whole" not in capsys.readouterr().out


def test_an_answer_that_distinguishes_readings_is_in_the_json(
    suite: Path, answers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = results(capsys, "score", answers, "--suite", suite)
    ReadingScoresOutput.model_validate(document)
    assert [(each["reading"], each["metrics"]["pass_rate"]) for each in document["readings"]] == [
        ("whole", 0.5),
        ("some", 1.0),
    ]
    (difference,) = document["differences"]
    assert (difference["task"], difference["passes"], difference["fails"]) == ("one", ["some"], ["whole"])
    assert difference["plan"] == FIRST_OSLO
    assert [finding["constraint"] for finding in difference["refused"]] == ["event[wedding]"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answers.read_bytes())))
    assert results(capsys, "score", "-", "--suite", suite) == document


def test_many_answers_have_metrics_by_reading(suite: Path, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = results(capsys, "score", answers, "--suite", suite, "--many")
    assert [(each["reading"], each["metrics"]["pass@1"]) for each in document["readings"]] == [
        ("whole", 0.5),
        ("some", 1.0),
    ]
    assert run("score", answers, "--suite", suite, "--many", "--out", "verdicts.jsonl") == 2
    assert "--out has the verdicts of one reading" in capsys.readouterr().err
    assert run("score", answers, "--suite", suite, "--many", "--reading", "some", "--out", "verdicts.jsonl") == 0
    assert len(Path("verdicts.jsonl").read_text().splitlines()) == 2


def test_score_takes_values_for_givens_and_refuses_unknown_givens(
    suite: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.write_text(SUITE.partition("readings:")[0])
    assert run("score", answers, "--suite", suite) == 1
    for many in ((), ("--many",)):
        assert run("score", answers, "--suite", suite, *many, "--given", "reading=some") == 0
        assert run("score", answers, "--suite", suite, *many, "--given", "raeding=some") == 2
        assert "has no given `raeding`; did you mean `reading`?" in capsys.readouterr().err
    assert run("score", answers, "--suite", suite, "--reading", "some") == 2
    assert "no suite with `readings` was named" in capsys.readouterr().err


def test_from_python_scores_take_a_reading(suite: Path, answers: Path) -> None:
    assert [planspec.score(suite, answers, reading=name).passed for name in (None, "whole", "some")] == [
        False,
        False,
        True,
    ]
    assert planspec.score_many(suite, answers, reading="some").passed
    assert planspec.score(suite, answers, given={"reading": "some"}).passed
    with pytest.raises(NotFoundError, match="has no reading `sme`"):
        planspec.score(suite, answers, reading="sme")
    with pytest.raises(ValueError, match="for which another value is given"):
        planspec.score(suite, answers, given={"reading": "some"}, reading="some")
    with pytest.raises(ValueError, match="one reading at a time"):
        planspec.score(suite, answers, reading="all")
    with pytest.raises(ValueError, match="a checked task keeps its values"):
        planspec.score(planspec.load("one"), answers, reading="some")


# -- difficulty --------------------------------------------------------------------------------------


def test_the_difficulty_of_each_reading_is_measured(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = results(capsys, "difficulty", suite, "--jobs", "2")
    assert [(row["task"], row["reading"], row["solutions"]["count"]) for row in rows] == [
        ("one", "whole", 1),
        ("one", "some", 2),
        ("two", "whole", 1),
        ("two", "some", 1),
    ]
    (difference,) = rows[1]["differences"]
    assert (difference["reading"], difference["passes"], by_city(difference["plan"])) == (
        "whole",
        "some",
        by_city(FIRST_OSLO),
    )
    assert run("difficulty", suite, "--reading", "some") == 0
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if line[0] != " "] == ["one~some: feasible", "two~some: feasible"]
    assert err == "some: 2 feasible\n"


# -- run ---------------------------------------------------------------------------------------------


def test_run_uses_the_tasks_of_a_suite_without_a_reading(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with attempts_in_process():
        assert run("run", suite, "--agent", "oracle", "--out", "runs") == 0
    assert len(Path("runs/attempts.jsonl").read_text().splitlines()) == 2
    assert run("run", suite, "--agent", "oracle", "--reading", "some") == 2
    assert "No such option: --reading" in capsys.readouterr().err


# -- check -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("readings", "code", "message", "marked"),
    [
        ("{givens: {readng: some}}", "PS201", "no task of the suite has a given `readng`", "readng"),
        ("{givens: {reading: sme}}", "PS016", "`sme` is no Reading", "sme"),
        ("{givens: {own: 1}}", "PS201", "not every task (1 of 2) of the suite has a given `own`", "own"),
        ("{given: {reading: some}}", "PS009", "the reading `some` has no key `given`", "given"),
    ],
)
def test_check_finds_givens_that_tasks_do_not_have(
    suite: Path, readings: str, code: str, message: str, marked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SUITE.replace("{givens: {reading: some}, expects: feasible}", readings)
    suite.write_text(text)
    Path("two.task.yaml").write_text(Path("two.task.yaml").read_text().replace("length: 7}", "length: 7, own: 2}"))
    found = results(capsys, "check", suite)
    errors = [each for each in found if each["severity"] == "error"]
    assert [(each["code"], each["message"]) for each in errors] == [(code, message)]
    line = text.splitlines()[errors[0]["line"] - 1]
    assert line[errors[0]["column"] - 1 :].startswith(marked)
    assert run("validate", suite, "--reading", "some") == 2


def test_check_accepts_sound_readings(suite: Path) -> None:
    assert run("check", suite, "--strict") == 0


# -- audit -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_reading_of_each_task_is_audited(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = results(capsys, "audit", suite, "--no-deep", "--reading", "all")
    assert audit["readings"] == ["whole", "some"]
    assert [(row["task"], row["reading"], row["proved"], row["expected"]) for row in audit["tasks"]] == [
        ("one", "whole", "unique", "unique"),
        ("one", "some", "multiple", "feasible"),
        ("two", "whole", "unique", "unique"),
        ("two", "some", "unique", "feasible"),
    ]
    assert not any("one" in row["duplicates"] for row in audit["tasks"] if row["task"] == "one")
    written = results(capsys, "audit", suite, "--no-deep")
    assert (written["readings"], {row["reading"] for row in written["tasks"]}) == ([], {None})
    assert planspec.audit(suite, readings=["some"], deep=False).readings == ["some"]


@pytest.mark.slow
def test_text_and_page_of_an_audit_name_the_readings(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write_text(suite.read_text().replace("expects: feasible", "expects: unique"))
    run("audit", suite, "--no-deep", "--reading", "whole", "--reading", "some", "-o", "page.html")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("several")] == [["several", "one~some"]]
    assert lines[-3].startswith("whole: 2 tasks: ")
    assert lines[-2] == "some: 2 tasks: 1 ok, 1 several"
    assert lines[-1].startswith("2 readings ")
    page = Path("page.html").read_text()
    assert "<bdi>one</bdi>, read as <bdi>some</bdi>" in page
    assert "In the reading some, 1 of 2 tasks is as they should be, and 1 has several right answers" in page


@pytest.mark.slow
def test_an_audit_is_resumed_and_certified_for_each_reading(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("audit", suite, "--no-deep", "--resume", "kept", "--reading")
    first = results(capsys, *words, "some", "--certify")
    assert sorted(path.name for path in Path("certificates").iterdir()) == ["one~some.json", "two~some.json"]
    again = results(capsys, *words, "all")
    seconds = {(row["task"], row["reading"]): row["seconds"] for row in again["tasks"]}
    assert all(seconds[row["task"], row["reading"]] == row["seconds"] for row in first["tasks"])
    assert len(Path("kept/audit.jsonl").read_text().splitlines()) == 4
    suite.write_text(suite.read_text().replace("expects: feasible", "expects: unique"))
    changed = results(capsys, *words, "some")
    assert next((row["task"], row["result"]) for row in changed["tasks"]) == ("one", "several")


@pytest.mark.slow
def test_published_answers_are_judged_in_the_reading_of_the_audit(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("answers.jsonl").write_text(json.dumps({"task": "one", "plan": FIRST_OSLO}) + "\n")
    words = ("audit", suite, "--no-deep", "--answers", "answers.jsonl", "--reading")
    passed = {name: results(capsys, *words, name)["answers"]["right"]["passed"] for name in ("whole", "some")}
    assert passed == {"whole": 0, "some": 1}
    assert run(*words, "all") == 2
    assert "in one reading at a time" in capsys.readouterr().err
    assert run("audit", suite, "--reading", "sme") == 2
    assert "did you mean `some`?" in capsys.readouterr().err
    assert run("audit", suite, "--reading", "some", "--scorer", "command:true") == 2
    assert "leave out --reading" in capsys.readouterr().err
    with pytest.raises(ValueError, match="one reading"):
        planspec.audit(suite, readings=["all"], answers=[{"task": "one", "plan": FIRST_OSLO}])
