"""Several answers to each task are judged in order, and the metrics match manual calculations."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.answers import SampleOutput
from planspec.api.outputs.scores import ManyScoresOutput
from planspec.commands.console import Exit
from planspec.scores import answer_lines, sample_verdicts
from tests.planspec.commands.test_command_line import run
from tests.planspec.scores import small

RIGHT = dict(small.RIGHT)
ODD, LATE = RIGHT | {"n": 5}, RIGHT | {"at": "19:00"}


def answer_line(task: str, sample: int | None, plan: Any) -> dict[str, Any]:
    """Return a line with an answer, numbered by `sample` if it is not None."""
    return {"task": task} | ({} if sample is None else {"sample": sample}) | {"plan": plan}


LINES = [
    answer_line("a", 0, {"answer": RIGHT}),
    answer_line("b", 0, {"answer": ODD}),
    answer_line("a", 1, {"answer": ODD}),
    answer_line("a", 2, {"answer": [ODD]}),
    answer_line("b", 1, {"answer": LATE}),
    answer_line("a", 3, "no plan"),
]
"""Answers to three tasks.

Of four answers to `a`, one passes, and two others have the same plan. Neither answer to `b` passes.
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a small suite."""
    return small.write_suite(tmp_path_factory.mktemp("many") / "suite")


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in path.read_text("utf-8").splitlines()]


def test_every_answer_is_judged_in_order(suite: Path, tmp_path: Path) -> None:
    planspec.score_many(suite, LINES, out=tmp_path / "out.jsonl")
    output = read_lines(tmp_path / "out.jsonl")
    assert [(one["task"], one["sample"], one["status"]) for one in output] == [
        ("a", 0, "pass"),
        ("b", 0, "fail"),
        ("a", 1, "fail"),
        ("a", 2, "fail"),
        ("b", 1, "fail"),
        ("a", 3, "undelivered"),
    ]
    assert output[1]["violated"] == ["over", "even", "great"]
    assert output[1]["hard"] == {"satisfied": 1, "total": 3}
    assert output[2]["plan"] == output[3]["plan"] != output[0]["plan"]
    assert output[5]["plan"] is None
    assert "not JSON" in output[5]["reason"]


def test_the_metrics_equal_those_computed_by_hand(suite: Path) -> None:
    scores = planspec.score_many(suite, LINES)
    metrics = scores.metrics
    assert (metrics["n"], metrics["tasks"], metrics["samples"]) == (12, 3, 4)
    assert (metrics["delivered"], metrics["missing"], metrics["unread"], metrics["plans"]) == (5, 6, 0, 4)
    assert metrics["pass@1"] == pytest.approx(1 / 4 / 3)
    assert metrics["pass@2"] == pytest.approx((1 - 3 / 6) / 3)
    assert metrics["pass@4"] == metrics["best_pass"] == pytest.approx(1 / 3)
    assert metrics["pass^2"] == 0
    assert metrics["majority_pass"] == 0  # two of the three readable answers to `a` have the same wrong plan
    assert metrics["majority_hard"] == pytest.approx(
        (2 / 3 + 1 / 3 + 0) / 3
    )  # each plan of `b` occurs once, so the first one is the most frequent
    assert metrics["best_hard"] == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert metrics["mean_hard"] == pytest.approx((1 + 2 / 3 + 2 / 3 + 1 / 3 + 2 / 3) / 12)
    assert scores.estimates["pass@1"].method == "bootstrap"
    assert scores.estimates["pass@4"].method == "wilson"
    assert not scores.passed
    assert repr(scores) == "<SampleScores of small: 1 of 12 answers pass>"


def test_missing_answers_count_as_failed(suite: Path) -> None:
    more = planspec.score_many(suite, LINES, samples=8, draws=[1, 8])
    assert more.metrics["pass@1"] == pytest.approx(1 / 8 / 3)
    assert [name for name in more.metrics if "pass@" in name or "pass^" in name] == ["pass@1", "pass@8", "pass^8"]
    with pytest.raises(planspec.UnsuitableAnswersError, match="`a` has 4 answers, but only 3 are expected"):
        planspec.score_many(suite, LINES, samples=3)
    with pytest.raises(planspec.UnsuitableAnswersError, match="9 of 4 answers"):
        planspec.score_many(suite, LINES, draws=[9])
    with pytest.raises(ValueError, match="count from 1"):
        planspec.score_many(suite, LINES, draws=[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_the_output_does_not_depend_on_processes_and_chunks(
    name: str, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    monkeypatch.setattr("planspec.scores.sampling.CHUNK_LINES", 2)
    monkeypatch.setattr("planspec.scores.sample_verdicts.MOST_JUDGES", 1)
    written = []
    for jobs in (1, 2):
        scores = planspec.score_many(suite, LINES, out=tmp_path / name, jobs=jobs, details=True)
        written.append((str(scores), (tmp_path / name).read_bytes()))
    assert written[0] == written[1]


def test_details_are_complete_verdicts(suite: Path, tmp_path: Path) -> None:
    planspec.score_many(suite, LINES, out=tmp_path / "out.jsonl", details=True)
    output = read_lines(tmp_path / "out.jsonl")[1]
    verdict = planspec.verify(suite / "b.task.yaml", {"answer": ODD})
    assert [found["message"] for found in output["findings"]] == [found.message for found in verdict.findings]
    assert output["in_scope"] is verdict.in_scope


def test_the_output_for_every_kind_of_line_matches_its_type(suite: Path, tmp_path: Path) -> None:
    from pydantic import TypeAdapter

    adapter = TypeAdapter(SampleOutput)
    for details in (False, True):
        planspec.score_many(suite, [*LINES, "no answer"], out=tmp_path / "out.jsonl", details=details)
        output = read_lines(tmp_path / "out.jsonl")
        assert len(output) == len(LINES) + 1
        for one in output:
            adapter.validate_python(one)


def test_answers_are_read_from_and_written_to_parquet(suite: Path, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    from pyarrow import parquet

    rows = [{**one, "plan": json.dumps(one["plan"])} for one in LINES]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "in.parquet")
    scores = planspec.score_many(suite, tmp_path / "in.parquet", out=tmp_path / "out.parquet", details=True)
    assert scores.metrics == planspec.score_many(suite, LINES).metrics
    output = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [one["status"] for one in output] == ["pass", "fail", "fail", "fail", "fail", "undelivered"]
    assert output[1]["violated"] == ["over", "even", "great"]
    assert json.loads(output[1]["verdict"])["status"] == "fail"
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(planspec.UnsuitableAnswersError, match="cannot be read"):
        planspec.score_many(suite, tmp_path / "bad.parquet")


def test_lines_without_a_sample_are_numbered(suite: Path, tmp_path: Path) -> None:
    bare = [answer_line(task, None, {"answer": ODD}) for task in "aba"] + [answer_line("a", None, {})]
    planspec.score_many(suite, bare, out=tmp_path / "out.jsonl")
    assert [(one["task"], one["sample"]) for one in read_lines(tmp_path / "out.jsonl")] == [
        ("a", 0),
        ("b", 0),
        ("a", 1),
        ("a", None),
    ]


def test_a_single_task_needs_no_envelope(suite: Path) -> None:
    for of in (suite / "a.task.yaml", planspec.load(suite / "a.task.yaml")):
        scores = planspec.score_many(of, [{"answer": RIGHT}, {"sample": 7, "plan": {"answer": ODD}}])
        assert [scores.metrics[name] for name in ("n", "pass@1", "pass@2")] == [2, 0.5, 1.0]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (answer_line("a", 0, {"answer": ODD}), "line 7 is sample 0 of `a` again"),
        (
            answer_line("a", None, {"answer": ODD}) | {"sample": "x"},
            "line 7: its `sample` is no whole number",
        ),
        (answer_line("a", -1, {"answer": ODD}), "line 7: its `sample`"),
        (answer_line("d", 0, {"answer": ODD}), "line 7: the suite has no task `d`"),
        ({"answer": ODD}, "line 7: does not say which task"),
    ],
)
def test_a_line_for_no_task_is_refused(bad: Any, message: str, suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("as before")
    with pytest.raises(planspec.UnsuitableAnswersError, match=message):
        planspec.score_many(suite, [*LINES, bad], out=out)
    assert out.read_text() == "as before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_truncated_line_is_undelivered(suite: Path) -> None:
    cut = [
        '{"task": "a", "sample": 0, "plan": {"answer": {"n":',
        "nothing",
        json.dumps(answer_line("a", 1, {"answer": RIGHT})),
    ]
    scores = planspec.score_many(suite / "a.task.yaml", cut)
    assert scores.metrics["n"] == 3  # every line is an answer to a single task
    scores = planspec.score_many(suite, cut)
    assert [scores.metrics[name] for name in ("samples", "delivered", "unread")] == [2, 1, 1]
    assert "line 2 is no answer: the answer is not JSON" in str(scores)
    with pytest.raises(planspec.UnsuitableAnswersError, match="line 1 is no answer"):
        planspec.score_many(suite, ["nothing", "nothing more"])


def test_an_endless_line_is_truncated(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_lines, "ANSWER_BYTES", 10)
    file = BytesIO(b"0123456789\n" + b"x" * 35 + b"\nlast")
    assert list(answer_lines.stream_lines(file)) == [b"0123456789\n", b"x" * 12, b"last"]


def test_answers_are_consumed_one_by_one(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec.scores.sampling.CHUNK_LINES", 2)
    taken: list[int] = []

    def stream() -> Iterator[dict[str, Any]]:
        for place, one in enumerate(LINES):
            taken.append(place)
            yield one

    from planspec.scores.sample_verdicts import SampleWork, drop_judges, judge_cache_of
    from planspec.scores.sampling import judge_answers

    work = SampleWork.of(str(suite), "strict", details=False)
    judge_cache_of(work)
    first = next(judge_answers(work, stream(), jobs=1))
    drop_judges(work)
    assert first.status == "pass"
    assert len(taken) < len(LINES)


def test_the_command_prints_only_metrics(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in LINES))
    words = ("score", str(file), "--suite", str(suite), "--many", "--out", str(out))
    code, text, output = run(monkeypatch, capsys, *words)
    assert (code, text) == (Exit.FAILS, f"{planspec.score_many(suite, LINES)}\n")
    assert output == f"6 verdicts in {out}\n"
    assert len(read_lines(out)) == 6
    code, text, _ = run(monkeypatch, capsys, *words, "--format", "json", "--k", "1,4", "--samples", "5")
    document = ManyScoresOutput.model_validate_json(text)
    assert document.metrics["pass@4"] == pytest.approx((1 - 0.2) / 3)
    assert document.intervals["pass@4"] is not None


def test_the_command_reads_standard_input(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps(answer_line("a", 0, {"answer": RIGHT})) + "\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
    task = str(suite / "a.task.yaml")
    code, out, _ = run(monkeypatch, capsys, "score", "-", "--suite", task, "--many")
    assert code == Exit.HOLDS
    assert "pass@1                   1.0000" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--k", "1"), "--k requires --many"),
        (("--out", "x.jsonl"), "--out requires --many"),
        (("--samples", "2"), "--samples requires --many"),
        (("--many", "--k", "1,x"), "--k takes whole numbers"),
        (("--many", "--k", "0"), "--k takes whole numbers"),
        (("--many", "--details"), "name it with --out"),
        (("--many", "--explain-differences"), "is not for --many"),
        (("--many", "--out", "."), "is a folder"),
    ],
)
def test_contradictory_options_are_refused(
    words: tuple[str, ...],
    message: str,
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps(LINES[0]) + "\n")
    code, _, err = run(monkeypatch, capsys, "score", str(file), "--suite", str(suite), *words)
    assert (code, message in err) == (Exit.WRONG_INPUT, True), err


def _fatal_judging(fault: str) -> Any:
    """Return a judging function that fails at the second answer to the task `a`: its process is killed, or memory ends."""
    judged = sample_verdicts._judge_answer

    def end_at_second_answer(work: Any, judge: Any, identity: Any, one: Any) -> Any:
        if (one.task, one.sample) == ("a", 1):
            if fault == "memory":
                raise MemoryError
            os.kill(os.getpid(), signal.SIGKILL)
        return judged(work, judge, identity, one)

    return end_at_second_answer


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "fault"), [(1, "memory"), (2, "memory"), (2, "kill")])
@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="processes that start afresh are not patched")
def test_an_answer_that_ends_its_judging_process_does_not_affect_others(
    jobs: int, fault: str, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    planspec.score_many(suite, LINES, out=tmp_path / "whole.jsonl")
    monkeypatch.setattr(sample_verdicts, "_judge_answer", _fatal_judging(fault))
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(one) + "\n" for one in LINES))
    words = ("score", str(tmp_path / "lines.jsonl"), "--suite", str(suite), "--many", "--jobs", str(jobs))
    written = ("--out", str(tmp_path / "out.jsonl"), "--format", "json")
    code, out, _ = run(monkeypatch, capsys, *words, *written)
    assert code == Exit.FAILS
    output = ManyScoresOutput.model_validate_json(out)
    assert output.metrics["unjudged"] == 1
    (lost,) = output.unjudged
    assert lost.startswith("line 3, sample 1 of a: not judged: ")
    assert ("memory ran out" if fault == "memory" else "SIGKILL") in lost
    verdicts, whole = read_lines(tmp_path / "out.jsonl"), read_lines(tmp_path / "whole.jsonl")
    assert verdicts[:2] + verdicts[3:] == whole[:2] + whole[3:]
    assert (verdicts[2]["status"], verdicts[2]["hard"], verdicts[2]["plan"]) == (
        "fail",
        {"satisfied": 0, "total": 3},
        None,
    )
    assert lost in run(monkeypatch, capsys, *words)[1]


def test_a_line_lost_on_decoding_is_not_an_answer(suite: Path, monkeypatch: Any) -> None:
    read_line = sample_verdicts._read_line

    def fail_at_third_line(shelf: Any, place: int, line: bytes) -> Any:
        if place == 3:
            raise MemoryError
        return read_line(shelf, place, line)

    monkeypatch.setattr(sample_verdicts, "_read_line", fail_at_third_line)
    scores = planspec.score_many(suite, LINES)
    assert scores.unread == ("line 3 is no answer: not judged: memory ran out",)
    assert (scores.metrics["missing"], scores.passed) == (4, False)


def test_a_bug_in_planspec_is_not_taken_for_a_bad_line(suite: Path, monkeypatch: Any) -> None:
    def fail(*_: Any) -> Any:
        raise KeyError("a bug")

    monkeypatch.setattr(sample_verdicts, "_judge_answer", fail)
    with pytest.raises(KeyError):
        planspec.score_many(suite, LINES)
