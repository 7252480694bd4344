"""`planspec score` works on suites of MobilityBench, with all trace formats, both profiles and several jobs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics.trace_metrics import MobilityBenchTraceMetrics
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.suite import SuiteWriter, read_episodes
from planspec.traces import Trace
from planspec.traces.files import line_of
from planspec.traces.metrics import TraceRequest, TraceScores, UnsuitableRunError, trace_metrics
from tests.families.mobilitybench import london
from tests.families.mobilitybench.metrics.runs import call
from tests.families.mobilitybench.official.case import fenced_answer
from tests.families.mobilitybench.public.small_table import NEAR, OPTION, WAY, WEATHER, write
from tests.planspec.commands.test_command_line import run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def generated_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite with planspec's own episodes."""
    folder = tmp_path_factory.mktemp("suites") / "ours"
    with SuiteWriter(folder, "Ours") as writer:
        for episode in (london.poi_search(), london.weather(), london.from_to()):
            writer.add(episode)
    return folder


@pytest.fixture(scope="module")
def public_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite imported from a table in the public form."""
    folder = tmp_path_factory.mktemp("suites")
    import_mobilitybench(write(folder / "t.csv", WAY, OPTION, NEAR, WEATHER), folder / "public")
    return folder / "public"


def search_run(suite: Path, **more: Any) -> Trace:
    """Return a run that finds the place of the first episode."""
    own_episode: Episode = next(iter(read_episodes(suite)))
    name = own_episode.given["right_places"][0]  # type: ignore[index] # the fixture's own
    calls = [call(one.tool, result={"result": {}}, **one.arguments) for one in own_episode.program]
    answer = json.dumps({"intent": "POI Search", "constraints": {}, "answer": {"place": name}})
    return Trace(task=own_episode.id, calls=tuple(calls), **({"answer": answer} | more))


def save_traces(path: Path, *records: Any) -> Path:
    """Write traces and raw lines to a file, and return its path."""
    text = (
        line_of(one) if isinstance(one, Trace) else one if isinstance(one, str) else json.dumps(one) for one in records
    )
    path.write_text("\n".join(text), "utf-8")
    return path


def scores(suite: Path, traces: Path, profile: str = "strict", **more: Any) -> TraceScores:
    """Score a file of traces on a suite."""
    request = TraceRequest(suite=suite.name, folder=suite, traces=traces, profile=profile, **more)
    return MobilityBenchTraceMetrics().over(request)


def value(own_scores: TraceScores, task: int, metric: str) -> Any:
    """Return the value of a metric of one task, by the index of the task."""
    return own_scores.traces[task]["metrics"][metric]["value"]  # type: ignore[index, call-overload]


def test_a_right_answer_passes_and_episodes_without_a_trace_count_0(generated_suite: Path, tmp_path: Path) -> None:
    own_scores = scores(generated_suite, save_traces(tmp_path / "t.jsonl", search_run(generated_suite)))
    assert (value(own_scores, 0, "DR"), value(own_scores, 0, "FPR"), value(own_scores, 0, "ID")) == (1, 1, 1)
    assert own_scores.metrics["n"] == 3
    assert own_scores.metrics["traced"] == 1
    assert own_scores.metrics["metrics"]["FPR"]["mean"] == 1 / 3  # type: ignore[index, call-overload]
    assert [one["traced"] for one in own_scores.traces] == [True, False, False]
    assert not own_scores.passed


def test_verdicts_and_the_final_pass_rate_agree(generated_suite: Path, tmp_path: Path) -> None:
    stumbled = (
        *search_run(generated_suite).calls,
        call("weather_query", result={"error": {"code": "not-found"}}, city="Atlantis"),
    )
    own_scores = scores(
        generated_suite,
        save_traces(tmp_path / "t.jsonl", search_run(generated_suite).model_copy(update={"calls": stumbled})),
    )
    assert (value(own_scores, 0, "DR"), value(own_scores, 0, "FPR")) == (0, 0)
    assert own_scores.traces[0]["verdict"] == "fail"
    assert own_scores.metrics["verdicts"] == {"fail": 1, "undelivered": 2}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "other"),
    [
        (None, False),
        ("{query}", False),
        ("  {query}!! ", False),
        ("The user at 1,2 asks: {query}\nThe time is 8:00.", False),
        ("{QUERY}", False),
        ("How is the weather on the moon?", True),
        ("", False),
    ],
)
@pytest.mark.parametrize("profile", ["strict", "official"])
def test_a_trace_with_another_question_is_reported(
    public_suite: Path, tmp_path: Path, profile: str, text: str | None, other: bool
) -> None:
    query = next(iter(read_episodes(public_suite))).query
    words = None if text is None else text.replace("{query}", query).replace("{QUERY}", query.upper())
    messages = [] if words is None else [{"role": "user", "text": words}]
    task = next(iter(read_episodes(public_suite))).id
    record = Trace.model_validate({"trace": "trace/1", "task": task, "messages": messages, "answer": "{}"})
    own_scores = scores(public_suite, save_traces(tmp_path / "t.jsonl", record), profile)
    assert len(own_scores.other_questions) == other
    if other:
        assert own_scores.other_questions[0] == f't.jsonl:1: {task}: the trace asks "{text}", the task "{query}"'
        lines = MobilityBenchTraceMetrics().lines(own_scores)
        assert "traces that ask another question than their task: 1" in lines


def test_a_wrong_place_is_delivered_and_fails_with_its_finding(generated_suite: Path, tmp_path: Path) -> None:
    wrong = london.ends()[1].name
    trace = search_run(generated_suite, answer=json.dumps({"answer": {"place": wrong}}))
    own_scores = scores(generated_suite, save_traces(tmp_path / "t.jsonl", trace))
    assert (value(own_scores, 0, "DR"), value(own_scores, 0, "FPR")) == (1, 0)
    assert own_scores.traces[0]["findings"][0]["constraint"] == "right-place"  # type: ignore[index, call-overload]


def test_all_formats_of_traces_have_the_same_scores(generated_suite: Path, tmp_path: Path) -> None:
    trace = search_run(generated_suite)
    assert trace.answer is not None
    chat = {
        "task": trace.task,
        "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": trace.answer}],
    }
    raw = {"case_id": trace.task, "reporter_output": trace.answer}
    envelope = {"task": trace.task, "plan": json.loads(trace.answer)}
    for place, record in enumerate((chat, raw, envelope)):
        own_scores = scores(generated_suite, save_traces(tmp_path / f"{place}.jsonl", record))
        assert [value(own_scores, 0, name) for name in ("ID", "DR", "FPR", "SC")] == [1, 1, 1, 0]


def test_the_scores_do_not_depend_on_the_order_of_traces_and_the_number_of_processes(
    public_suite: Path, tmp_path: Path
) -> None:
    records = [{"case_id": f"case_{n}", "reporter_output": f"route_index {n}"} for n in (1, 2, 4)]
    one = save_traces(tmp_path / "t.jsonl", *records)
    other = save_traces(tmp_path / "t.json", json.dumps(records[::-1]))
    expected = scores(public_suite, one, differences=True)
    assert scores(public_suite, other, differences=True, jobs=2) == expected


def test_an_unreadable_trace_is_reported_and_its_episode_counts_0(generated_suite: Path, tmp_path: Path) -> None:
    good = search_run(generated_suite)
    broken = json.loads(line_of(good)) | {"task": london.weather().id, "calls": "none"}
    own_scores = scores(generated_suite, save_traces(tmp_path / "t.jsonl", good, broken, line_of(good)[:50]))
    assert [one.partition(": ")[0] for one in own_scores.unread] == ["t.jsonl:3", "t.jsonl:2"]
    assert own_scores.metrics["traced"] == 1


@pytest.mark.parametrize("is_same_task", [True, False])
def test_two_traces_of_one_task_and_traces_of_no_task_are_refused(
    generated_suite: Path, tmp_path: Path, is_same_task: bool
) -> None:
    other = (
        search_run(generated_suite)
        if is_same_task
        else search_run(generated_suite).model_copy(update={"task": "nobody"})
    )
    with pytest.raises(UnsuitableRunError, match="twice" if is_same_task else "no task `nobody`"):
        scores(generated_suite, save_traces(tmp_path / "t.jsonl", search_run(generated_suite), other))


def test_without_details_the_metrics_are_the_same(public_suite: Path, tmp_path: Path) -> None:
    file = save_traces(tmp_path / "t.jsonl", {"case_id": "case_1", "reporter_output": "route_index 99"})
    for profile in ("strict", "official"):
        full, bare = (
            scores(public_suite, file, profile, differences=True, details=details) for details in (True, False)
        )
        assert full.differences is not None and bare.differences is not None
        assert (full.metrics, full.differences["metrics"]) == (bare.metrics, bare.differences["metrics"])
        assert full.traces and full.differences["traces"]
        assert not bare.traces and not bare.differences["traces"]


def test_an_episode_that_was_changed_is_refused(generated_suite: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    folder.mkdir()
    text = (generated_suite / "episodes.jsonl").read_text("utf-8")
    (folder / "episodes.jsonl").write_text(text.replace("A query", "A quarry", 1), "utf-8")
    with pytest.raises(UnsuitableRunError, match="checksum"):
        scores(folder, save_traces(tmp_path / "t.jsonl"))


def test_a_suite_without_episodes_cannot_be_scored(tmp_path: Path) -> None:
    with pytest.raises(UnsuitableRunError, match=r"no `episodes\.jsonl`"):
        scores(tmp_path, save_traces(tmp_path / "t.jsonl"))


def test_the_official_profile_reports_the_rows_that_it_drops(public_suite: Path, tmp_path: Path) -> None:
    answer = fenced_answer(route_index=0, content="全程1公里，预计耗时2分钟")
    records = [
        {
            "case_id": "case_1",
            "planner_output": {"intent": "路线规划", "steps": []},
            "reporter_output": answer,
        },
        {"case_id": "case_3", "reporter_output": ""},
    ]
    own_scores = scores(public_suite, save_traces(tmp_path / "t.jsonl", *records), "official")
    overall: Any = own_scores.metrics["overall"]
    assert overall["means"] == {"ID": 1.0, "IE": 0.0, "DR": 1.0, "FPR": 1.0, "IT": 0.0, "OT": 0.0}
    assert overall["rows"] == {"instruction": 1, "tool": 0, "answer": 1, "efficiency": 2}
    assert own_scores.metrics["dropped"]["answer"] == {"no trace": 2, "the run has no answer": 1}  # type: ignore[index, call-overload]
    assert own_scores.metrics["similarity"] == "shared_characters"
    assert own_scores.traces[1]["rows"] == {}
    assert list(MobilityBenchTraceMetrics().profiles(public_suite)) == ["strict", "official"]


def test_constant_answers_pass_officially_but_not_strictly(public_suite: Path, tmp_path: Path) -> None:
    records = [{"case_id": f"case_{n}", "reporter_output": "route_index 99"} for n in (1, 2)]
    file = save_traces(tmp_path / "t.jsonl", *records)
    strict, official = scores(public_suite, file, differences=True), scores(public_suite, file, "official")
    assert official.metrics["overall"]["means"]["FPR"] == 1  # type: ignore[index, call-overload]
    assert strict.metrics["metrics"]["FPR"]["mean"] == 0  # type: ignore[index, call-overload]
    assert strict.differences is not None
    assert strict.differences["metrics"]["FPR"]["causes"] == {  # type: ignore[index, call-overload]
        "route index without a route": 2,
        "row dropped by the public evaluator": 2,
    }
    assert strict.differences["unexplained"] == 0


# ------------------------------------------------------------------ the command


@pytest.fixture
def traces(generated_suite: Path, tmp_path: Path) -> Path:
    """Return a file with a trace of the first episode."""
    return save_traces(tmp_path / "t.jsonl", search_run(generated_suite))


def test_the_command_prints_metrics_with_intervals_and_groups(
    generated_suite: Path, traces: Path, monkeypatch: Any, capsys: Any
) -> None:
    code, out, _ = run(monkeypatch, capsys, "score", str(traces), "--suite", str(generated_suite))
    assert code == 1
    assert "3 episodes, 1 with a trace" in out
    assert "FPR             0.3333  [0.0615, 0.7923]" in out
    assert "  Weather Query" in out


def test_the_commands_json_is_that_of_the_scorer(
    generated_suite: Path, traces: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(traces.read_bytes())))
    code, out, _ = run(
        monkeypatch, capsys, "score", "-", "--suite", str(generated_suite), "--format", "json", "--jobs", "2"
    )
    assert code == 1
    assert TraceScores.model_validate_json(out) == scores(generated_suite, traces)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--profile", "official"), "has no profile `official`; there is strict"),
        (("--explain-differences",), "has no profile `official`; there is strict"),
        (("--profile", "loose"), "has no profile `loose`"),
    ],
)
def test_a_suite_without_the_toolkits_inputs_has_no_official_profile(
    generated_suite: Path, traces: Path, words: tuple[str, ...], message: str, monkeypatch: Any, capsys: Any
) -> None:
    code, _, err = run(monkeypatch, capsys, "score", str(traces), "--suite", str(generated_suite), *words)
    assert code == 2
    assert message in err


def test_wrong_input_exits_2(generated_suite: Path, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    stray = save_traces(tmp_path / "s.jsonl", {"task": "nobody", "plan": {"a": 1}})
    for name, message in ((str(stray), "no task `nobody`"), (str(tmp_path / "none.jsonl"), "no file")):
        code, _, err = run(monkeypatch, capsys, "score", name, "--suite", str(generated_suite))
        assert code == 2
        assert message in err


def test_differences_between_profiles_of_other_families_are_explained_by_verify(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    file = str(save_traces(tmp_path / "t.jsonl"))
    code, _, err = run(monkeypatch, capsys, "score", file, "--suite", "worldtravel-berlin", "--explain-differences")
    assert code == 2
    assert "planspec verify --explain-differences" in err


def test_only_this_family_has_metrics_of_traces() -> None:
    assert isinstance(trace_metrics("mobilitybench"), MobilityBenchTraceMetrics)
    assert [trace_metrics(name) for name in ("travelplanner", "nobody's", None)] == [None] * 3
