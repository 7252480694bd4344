"""Each family is a task of the evaluation framework Inspect. The tests run offline with Inspect's mock model."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import Desk, Limits
from planspec.agents.baselines import Oracle
from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError
from planspec.api.catalog import Catalog
from planspec.environments import AgentTask, open_task
from tests.extras import needs

pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("inspect"),  # the import takes seconds
    needs("inspect_ai", extra="inspect"),
    # Inspect leaves streams open, and libraries that it uses emit warnings
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]

TALK = """\
planspec: task/1
id: talk
title: Two turns
plan: {answer: {one: true, n: int}}
constraints: {over: {hard: answer.n > 3}}
scope: {answer: [{n: 0..9}]}
turns:
  - {query: Say a number over 3.}
  - {query: And an even one., constraints: {even: {hard: answer.n % 2 == 0}}}
"""
SUITE = """\
planspec: suite/1
id: talks
title: Talks
tasks: [talk.task.yaml]
"""
Step = str | tuple[str, dict[str, Any]]
"""An output of the mock model: an answer, or the name and arguments of a call."""


def scripted_model(*steps: Step) -> Callable[..., Any]:
    """Return a model that gives scripted outputs to each sample and repeats the last one."""
    from inspect_ai import model as models

    def output(messages: Sequence[Any], *_: Any) -> Any:
        step = steps[min(sum(m.role == "assistant" for m in messages), len(steps) - 1)]
        if isinstance(step, str):
            reply = models.ModelOutput.from_content("mockllm", step)
        else:
            reply = models.ModelOutput.for_tool_call("mockllm", *step)
        reply.usage = models.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return reply

    return output


def run(task: Any, *steps: Step, **options: Any) -> Any:
    """Return the log of a successful evaluation."""
    import inspect_ai
    from inspect_ai import model as models

    model = models.get_model("mockllm/model", custom_outputs=scripted_model(*steps), memoize=False)
    (log,) = inspect_ai.eval(task, model=model, display="none", **options)
    assert log.status == "success", log.error
    return log


def only_score(log: Any) -> Any:
    """Return the score of the only sample of a log."""
    (sample,) = log.samples
    return sample.scores["verdict"]


def first_task(suite: str, setting: str | None = None) -> AgentTask:
    """Open the first task of a suite."""
    catalog = Catalog()
    task = catalog.suite(suite).tasks[0]
    return open_task(task, setting, folder=catalog.suite_path(suite).parent)


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write logs to a temporary folder."""
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))


@pytest.fixture(autouse=True, scope="module")
def close_streams() -> Iterator[None]:
    """Close the streams that Inspect has left open in a test."""
    gc.freeze()
    yield
    gc.collect()


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """Return the folder of a suite with one conversation."""
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "suite.yaml").write_text(SUITE)
    (folder / "talk.task.yaml").write_text(TALK)
    return folder


def test_a_missing_suite_is_reported_with_the_syntax() -> None:
    from planspec.inspecting import suite

    with pytest.raises(planspec.NotFoundError, match="-T suite=SUITE"):
        suite()


def test_a_task_is_identified_however_its_suite_was_named(talks: Path, tmp_path: Path) -> None:
    """The suite is named by a folder, a file, or a task of a shard."""
    from planspec.inspecting.samples import dataset, open_sample

    loose = tmp_path / "loose"
    loose.mkdir()
    (loose / "talk.task.yaml").write_text(TALK)
    (loose / "more.tasks.yaml").write_text(TALK.replace("id: talk", "id: more"))
    for name in (
        talks,
        talks / "suite.yaml",
        loose / "talk.task.yaml",
        loose,
        loose / "more.tasks.yaml#more",
    ):
        for sample in dataset(str(name), None, None):
            assert open_sample(sample.metadata or {}).judge.task.id == sample.id


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "suite", "setting"),
    [
        ("veritrip", "veritrip", "facts"),
        ("worldtravel", "worldtravel-berlin", "text"),
        ("travelplanner", "travelplanner-small", "tools"),
        ("mobilitybench", "mobilitybench", "sandbox"),
    ],
)
def test_each_family_is_a_task_in_which_a_right_answer_is_correct_and_a_wrong_one_is_not(
    name: str, suite: str, setting: str
) -> None:
    from planspec import inspecting

    opened = first_task(suite, setting)
    limits = Limits(seconds=60.0)
    oracle = Oracle()
    oracle.privilege(opened)
    answer_ = oracle.answer(opened.view(0, [], limits, 0), Desk(opened.tools, limits))
    right = run(getattr(inspecting, name)(limit=1), json.dumps(answer_, ensure_ascii=False))
    assert only_score(right).value == "C", only_score(right).explanation
    assert only_score(right).metadata["verdict"]["status"] == "pass"
    wrong = run(getattr(inspecting, name)(limit=1), "I do not know.")
    assert only_score(wrong).value == "N"
    assert only_score(wrong).metadata["failure"]["boundary"] == "decode"
    assert wrong.results.scores[0].metrics["accuracy"].value == 0


def test_a_model_gets_the_answer_format_the_materials_and_the_query() -> None:
    from planspec.inspecting import veritrip

    opened = first_task("veritrip", "facts")
    sample: Any = veritrip(limit=1).dataset[0]
    system, user = sample.input
    assert (system.role, system.content) == ("system", opened.system_text())
    texts = [part.text for part in user.content]
    assert len(opened.materials) == 1
    assert texts[-1] == opened.judge.task.query
    assert [text.partition("\n")[0] for text in texts[:-1]] == [f"# {title}" for title in opened.materials]
    assert sample.metadata["planspec"] == {
        "suite": "veritrip",
        "task": "tasks/veritrip-001.yaml",
        "setting": "facts",
    }


def test_the_system_prompt_has_the_limits_of_the_solver(talks: Path) -> None:
    from inspect_ai import solver as solvers

    from planspec.inspecting import suite

    opened = open_task(talks / "talk.task.yaml")
    log = run(suite(str(talks), steps=7, tool_calls=3), "{}")
    assert log.samples[0].messages[0].content == opened.system_text(Limits(steps=7, tool_calls=3))
    assert "You may reply 7 times in all" in log.samples[0].messages[0].content
    other = run(suite(str(talks), steps=7), "{}", solver=solvers.generate())
    assert other.samples[0].messages[0].content == opened.system_text()


@pytest.mark.thorough
def test_findings_are_in_the_metadata_and_in_words() -> None:
    from planspec.inspecting import worldtravel

    bed = {
        "item": "hotel",
        "time": "8:00-8:00",
        "departure": "Hotel de Rome",
        "destination": "Hotel de Rome",
        "cost": 0,
    }
    answer = json.dumps({"itinerary": [{"date": "7.1", "schedule": [bed | {"transportation": "none"}]}]})
    score = only_score(run(worldtravel(limit=1), answer))
    opened = first_task("worldtravel-berlin")
    ours = opened.judge.answer(answer, details="violated")
    assert score.value == "I"
    assert score.answer == answer
    assert score.metadata["failure"] is None
    findings = score.metadata["verdict"]["findings"]
    assert [f["constraint"] for f in findings] == [f.constraint for f in ours.findings]
    hard = [f for f in ours.findings if f.level != "soft"]
    assert score.explanation.startswith(f"{hard[0].constraint}: {hard[0].message}")


def test_tools_are_called_and_their_errors_have_codes() -> None:
    from planspec.inspecting import worldtravel
    from planspec.inspecting.events import events_of

    tools = first_task("worldtravel-berlin").tools
    good, bad = {"city": "Berlin"}, {"city": "Atlantis"}
    log = run(
        worldtravel(limit=1),
        ("get_hotel_list", good),
        ("get_hotel_list", bad),
        ("get_hotel_list", {}),
        "done",
    )
    right, missing, wrong = (m for m in log.samples[0].messages if m.role == "tool")
    assert json.loads(right.text) == tools.call("get_hotel_list", good)
    assert right.error is None
    assert json.loads(missing.error.message) == tools.call("get_hotel_list", bad)
    assert json.loads(missing.error.message)["error"]["code"] == "not-found"
    assert "'city' is a required property" in wrong.error.message
    events = events_of(log.samples[0])
    called = [events.call_timings[m.tool_call_id] for m in (right, missing, wrong)]
    starts = [time.start_s for time in called]
    assert starts == sorted(starts) and all(time.seconds >= 0 for time in called)
    times = [one.time.start_s for one in events.generations if one.time is not None]
    assert len(times) == 4 and times[0] <= starts[0] <= times[1] and starts[-1] <= times[-1]
    assert [(one.stopped, one.hit) for one in events.generations] == [("calls", False)] * 3 + [("end", False)]
    assert {tool.name for tool in events.tools} == {tool.name for tool in tools}
    ((first_, last),) = events.generations[-1].tools
    assert (first_, last) == (0, len(events.tools))


def test_a_request_with_an_incomplete_history_is_not_recorded(talks: Path) -> None:
    from planspec.inspecting import suite
    from planspec.inspecting.events import events_of

    (sample,) = run(suite(str(talks)), '{"answer": {"n": 5}}', '{"answer": {"n": 6}}').samples
    assert len(events_of(sample).generations) == 2
    sample.messages = sample.messages[2:]  # as if a solver had shortened the history
    assert events_of(sample).generations == []
    sample.started_at = None
    assert events_of(sample).call_timings == {}


def test_a_long_result_is_not_truncated() -> None:
    from inspect_ai import model as models

    from planspec.inspecting.solving import tool_def

    class NumberArguments(Arguments):
        n: int

    def answer(message: NumberArguments) -> JsonResult:
        if not message.n:
            raise RefusedCallError("upstream", "no")
        return {"text": "x" * message.n}

    async def call(n: int) -> Any:
        message = models.ModelOutput.for_tool_call("mockllm", "long", {"n": n}).message
        return (
            await models.execute_tools([message], [tool_def(ModelTool("long", "Long.", NumberArguments, answer))])
        ).messages[0]

    import anyio

    assert json.loads(anyio.run(call, 100_000).text) == {"text": "x" * 100_000}
    assert json.loads(anyio.run(call, 0).error.message)["error"]["code"] == "upstream"


def test_an_answer_can_refer_to_calls_of_its_conversation() -> None:
    from planspec.families.mobilitybench.environment.environment import episode_of
    from planspec.inspecting import mobilitybench

    opened = first_task("mobilitybench")
    episode = episode_of(opened.judge.task.id, opened.name, opened.folder)
    calls: list[Step] = [(call.tool, dict(call.arguments)) for call in episode.program]
    text = json.dumps({"answer": {"route": {"index": 0}}})
    assert only_score(run(mobilitybench(limit=1), *calls, text)).value == "C"
    assert only_score(run(mobilitybench(limit=1), text)).value != "C"


def test_a_task_runs_turn_by_turn_and_the_last_answer_counts(talks: Path) -> None:
    from planspec.inspecting import suite

    log = run(suite(str(talks)), '{"answer": {"n": 5}}', '{"answer": {"n": 6}}')
    queries = [m.text for m in log.samples[0].messages if m.role == "user"]
    assert queries == ["Say a number over 3.", "And an even one."]
    assert (only_score(log).value, only_score(log).answer) == ("C", '{"answer": {"n": 6}}')
    log = run(suite(str(talks)), '{"answer": {"n": 6}}', '{"answer": {"n": 5}}')
    assert (only_score(log).value, only_score(log).explanation.partition(":")[0]) == ("I", "even")


@pytest.mark.thorough
def test_another_inspect_solver_has_the_tools_and_its_last_answer_counts(talks: Path) -> None:
    from inspect_ai.solver import generate

    from planspec.inspecting import suite, worldtravel

    log = run(worldtravel(limit=1), ("get_hotel_list", {"city": "Berlin"}), "{}", solver=generate())
    assert [m.role for m in log.samples[0].messages][-3:] == ["assistant", "tool", "assistant"]
    assert only_score(log).metadata["verdict"]["task"] == "berlin-001"
    ended = only_score(run(suite(str(talks)), '{"answer": {"n": 6}}', solver=generate()))
    assert ended.value == "N"
    assert ended.metadata["failure"] == {"boundary": "limit", "message": "only 1 of 2 turns were answered"}


@pytest.mark.parametrize(
    ("limits", "message"),
    [({"tool_calls": 2}, "2 tool calls are used up"), ({"steps": 3}, "3 steps are used up")],
)
def test_a_sample_beyond_a_limit_has_no_answer(limits: dict[str, Any], message: str) -> None:
    from planspec.inspecting import worldtravel

    score = only_score(run(worldtravel(limit=1, **limits), ("get_hotel_list", {"city": "Berlin"})))
    assert score.value == "N"
    assert score.metadata["failure"] == {"boundary": "limit", "message": message}
    assert score.metadata["verdict"]["status"] == "undelivered"


@pytest.mark.thorough
def test_calls_beyond_the_settings_limit_are_refused_and_the_sample_goes_on() -> None:
    from planspec.inspecting import worldtravel

    call = ("get_hotel_list", {"city": "Berlin"})
    log = run(worldtravel(limit=1), *[call] * 31, "{}")
    tools = [m for m in log.samples[0].messages if m.role == "tool"]
    assert ["no-calls-left" in str(m.error) for m in tools] == [False] * 30 + [True]
    assert only_score(log).metadata["failure"]["boundary"] == "decode"  # the last answer was read


def test_a_log_can_be_scored_again_from_its_metadata(talks: Path) -> None:
    import inspect_ai

    from planspec.inspecting import suite, verdict

    log = run(suite(str(talks)), '{"answer": {"n": 6}}')
    again: Any = inspect_ai.score(log, verdict(), action="overwrite", display="none")
    assert again.samples[0].scores["verdict"].value == "C"


def test_a_suite_is_read_again_for_each_request(talks: Path) -> None:
    from planspec.inspecting import suite

    assert only_score(run(suite(str(talks)), '{"answer": {"n": 4}}')).value == "C"
    (talks / "talk.task.yaml").write_text(TALK.replace("answer.n > 3", "answer.n > 5"))
    assert only_score(run(suite(str(talks)), '{"answer": {"n": 4}}')).value == "I"


def metrics(log: Any) -> dict[str, float]:
    """Return all metrics of a log by name. A metric with several shares has an entry, and a name, for each share."""
    values: dict[str, float] = {}
    for score in log.results.scores:
        prefix = "" if score.name == "verdict" else f"{score.name}."
        values |= {f"{prefix}{name}": metric.value for name, metric in score.metrics.items()}
    return values


def test_inspect_metrics_include_violated_rules_by_kind_and_facts_seen() -> None:
    from planspec.inspecting import worldtravel

    opened = first_task("worldtravel-berlin")
    answer = json.dumps(opened.judge.task.reference, default=float)
    call = ("get_hotel_list", {"city": "Berlin"})
    right = metrics(run(worldtravel(limit=1), call, answer))
    assert (right["accuracy"], right["hard.mean"]) == (1, 1)
    assert 0 < right["facts_seen"] < 1 and right["facts_ignored"] == 0
    late = answer.replace('"departure": "Hotel Adlon Kempinski"', '"departure": "Hotel de Rome"')
    log = run(worldtravel(limit=1), call, late)
    verdict = opened.judge.answer(late, details="violated")
    wrong = metrics(log)
    assert wrong["hard.mean"] == verdict.hard.satisfied / verdict.hard.total < 1
    kinds = {f.kind or f.constraint for f in verdict.findings if f.status == "violated" and f.level != "soft"}
    assert kinds and {name: wrong[name] for name in kinds} == dict.fromkeys(kinds, 1)


SOFT = "\n  small: {soft: answer.n < 6}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("soft", "answer", "mean", "scored"),
    [
        (("", ""), '{"answer": {"n": 5}}', None, 0),
        (("", SOFT), '{"answer": {"n": 5}}', 1, 1),
        ((SOFT, ""), '{"answer": {"n": 7}}', 0, 1),
        ((SOFT, SOFT), "no plan", 0, 2),
    ],
)
def test_the_share_of_soft_constraints_is_over_tasks_that_have_some(
    tmp_path: Path, soft: tuple[str, str], answer: str, mean: float | None, scored: int
) -> None:
    from planspec.inspecting import suite

    text = (
        "planspec: task/1\nid: {}\nquery: q\nplan: {{answer: {{one: true, n: int}}}}\nscope: {{answer: [{{n: 0..9}}]}}"
    )
    text += "\nconstraints:\n  over: {{hard: answer.n > 3}}{}\n"
    (tmp_path / "suite.yaml").write_text(SUITE.replace("[talk.task.yaml]", "[a.task.yaml, b.task.yaml]"))
    for name, level in zip("ab", soft, strict=True):
        (tmp_path / f"{name}.task.yaml").write_text(text.format(name, level))
    log = run(suite(str(tmp_path)), answer)
    (score,) = (each for each in log.results.scores if each.name == "soft")
    value = score.metrics["mean"].value
    assert (None if math.isnan(value) else value, score.scored_samples) == (mean, scored)


def test_a_log_is_a_run_for_the_report_and_its_answers_are_scored(
    talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from inspect_ai.log import write_eval_log

    from planspec.inspecting import suite
    from planspec.inspecting.logs import InvalidLogError, run_of_log
    from tests.planspec.commands.test_command_line import run as command

    log = run(suite(str(talks)), '{"answer": {"n": 5}}', '{"answer": {"n": 6}}', epochs=2)
    file = tmp_path / "one.eval"
    write_eval_log(log, str(file))
    attempts = list(run_of_log(file, tmp_path / "run").attempts())
    assert [(one.task, one.repeat, one.status) for one in attempts] == [
        ("talk", 0, "pass"),
        ("talk", 1, "pass"),
    ]
    assert [turn.answer for turn in attempts[0].turns] == ['{"answer": {"n": 5}}', '{"answer": {"n": 6}}']
    assert [message.role for message in attempts[0].trace.messages][-4:] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    trace = attempts[0].trace
    assert [(one.model, one.input, one.output, one.stopped) for one in trace.generations] == [
        ("mockllm/model", 1, 1, "end"),
        ("mockllm/model", 1, 1, "end"),
    ]
    assert [message.generation for message in trace.messages][-4:] == [None, 0, None, 1]
    assert [one.context for one in trace.generations] == [((0, 2),), ((0, 4),)]
    first_, second = (one.time for one in trace.generations)
    assert first_ is not None and second is not None and first_.start_s < second.start_s < attempts[0].seconds
    page = tmp_path / "page.html"
    code, output, _ = command(monkeypatch, capsys, "report", str(file), "-o", str(page), "--no-proofs")
    assert (code, "2 of 2 pass" in output, "inspect:mockllm/model" in page.read_text("utf-8")) == (
        0,
        True,
        True,
    )
    code, output, _ = command(
        monkeypatch, capsys, "score", str(file), "--suite", str(talks), "--many", "--format", "json"
    )
    metrics = json.loads(output)["metrics"]
    assert (code, metrics["n"], metrics["delivered"], metrics["pass@1"], metrics["mean_hard"]) == (
        0,
        2,
        2,
        1,
        1,
    )
    (tmp_path / "none.eval").write_text("no log")
    with pytest.raises(InvalidLogError, match="is not a log of Inspect"):
        run_of_log(tmp_path / "none.eval", tmp_path / "other")
