"""`planspec.environment` gives the results of `planspec run`, and can be copied, pickled and used in threads."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import Limits, agent
from planspec.api.certificates import certificate_path, write
from planspec.api.judging import Judge
from planspec.environments import open_task
from planspec.environments.floors import DRAWS, measure_floor
from planspec.environments.shared import TaskMismatchError
from planspec.runs.attempting import AttemptSpec, attempt
from tests.planspec.environments.talk import TALK
from tests.planspec.reading_suite import write_trips

ONE = """\
planspec: task/1
id: {id}
given: {{least: {least}}}
query: A number over {least}.
plan: {{answer: {{one: true, n: int, m: int}}}}
scope: {{answer: [{{n: 0..40, m: 0..9}}]}}
constraints:
  over: {{hard: answer.n > least}}
  near: {{hard: answer.n <= least + 2}}
  small: {{hard: answer.m < 5}}
  two: {{hard: answer.m > 1}}
  least_of_all: {{soft: answer.n == least + 1}}
"""


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Write two tasks with their certificates."""
    files = []
    for name, least in (("low", 3), ("high", 20)):
        files.append(tmp_path / f"{name}.task.yaml")
        files[-1].write_text(ONE.format(id=name, least=least), "utf-8")
        write(planspec.certify(files[-1]), certificate_path(files[-1], name))
    return files[0], files[1]


def answer_of_two(n: int, m: int = 3) -> dict[str, Any]:
    """Return an answer to the task with two numbers."""
    return {"answer": {"n": n, "m": m}}


def answer_of_one(n: int) -> dict[str, Any]:
    """Return an answer to the task with one number."""
    return {"answer": {"n": n}}


# -- an episode ---------------------------------------------------------------------------------------------


def test_an_episode_proceeds_turn_by_turn(talk: Path) -> None:
    episode = planspec.environment(talk)
    assert (episode.task, episode.setting, episode.turns, episode.turn, episode.done) == (
        "talk",
        "ask",
        2,
        0,
        False,
    )
    assert repr(episode) == "<Environment talk, ask: turn 1 of 2, 0 calls>"
    first = episode.observation
    assert (first.query, first.turn, first.limits.tool_calls) == ("A number as large as the purse.", 0, 2)
    assert [message["role"] for message in episode.messages] == ["system", "user"]
    assert episode.messages[1]["content"].endswith("\n\nA number as large as the purse.")
    assert [tool["name"] for tool in episode.tools] == ["purse"]
    assert episode.tools[0]["parameters"]["type"] == "object"
    assert episode.call("purse", {}) == {"amount": 30}
    early = episode.submit(answer_of_one(30))
    assert (early["pass"], early["reward"], early["done"], early["calls"]) == (1, 0.0, False, 1)
    assert episode.observation.earlier == (("A number as large as the purse.", '{"answer": {"n": 30}}'),)
    assert [message["role"] for message in episode.messages] == ["user"]
    assert "There are 20 left." in episode.messages[0]["content"]
    assert episode.call("purse", "{}") == {"amount": 20}
    late = episode.submit('It is ```json\n{"answer": {"n": 20}}\n```')
    assert late == {
        "pass": 1,
        "reward": 1.0,
        "hard": 1.0,
        "soft": None,
        "delivered": 1,
        "violations": 0,
        "calls": 2,
        "done": True,
        "metrics": {"pass_rate": 1.0, "mean_hard": 1.0, "mean_soft": None},
    }
    assert episode.done and repr(episode) == "<Environment talk, ask: done, 2 calls>"


def test_after_the_last_turn_nothing_is_accepted_until_reset(talk: Path) -> None:
    episode = planspec.environment(f"{talk}@1")
    assert episode.turns == 1
    episode.submit(answer_of_one(30))
    with pytest.raises(planspec.EpisodeOverError, match="`talk` is over; `reset` it to call a tool again"):
        episode.call("purse", {})
    with pytest.raises(planspec.EpisodeOverError):
        episode.submit(answer_of_one(30))
    view = episode.reset(seed=7)
    assert (view.seed, view.turn, episode.turn, episode.verdict, episode.calls) == (7, 0, 0, None, ())
    assert episode.reset().seed == 7


def test_wrong_calls_and_calls_beyond_the_limit_are_reported_and_counted(talk: Path) -> None:
    episode = planspec.environment(talk)
    assert episode.call("nothing", {})["error"]["code"] == "unknown-tool"
    assert episode.call("purse", "{")["error"]["code"] == "invalid-arguments"
    assert episode.call("purse", {})["error"]["code"] == "no-calls-left"
    assert len(episode.calls) == 3
    assert planspec.environment(talk, calls=0).call("purse", {})["error"]["code"] == "no-calls-left"


@pytest.mark.parametrize("arguments", [None, [], [("of", 1)], 5, b"{}"])
def test_arguments_that_are_not_an_object_make_a_wrong_call(talk: Path, arguments: Any) -> None:
    episode = planspec.environment(talk)
    assert episode.call("purse", arguments)["error"]["code"] == "invalid-arguments"
    assert len(episode.calls) == 1


@pytest.mark.parametrize("answer", [None, "", "no plan", [], 3, {}])
def test_an_unreadable_answer_gets_no_reward(talk: Path, answer: Any) -> None:
    out = planspec.environment(f"{talk}@1").submit(answer)
    assert (out["pass"], out["reward"], out["hard"], out["soft"], out["delivered"]) == (0, 0.0, 0.0, None, 0)
    assert out["violations"] == 2


@pytest.mark.parametrize(("answer", "soft"), [(answer_of_two(4), 1.0), (answer_of_two(5), 0.0), (None, 0.0)])
def test_the_metrics_have_the_share_of_satisfied_soft_constraints(
    pair: tuple[Path, Path], answer: Any, soft: float
) -> None:
    assert planspec.environment(pair[0]).submit(answer)["soft"] == soft


def test_an_answer_that_is_not_json_is_a_type_error(talk: Path) -> None:
    episode = planspec.environment(talk)
    with pytest.raises(TypeError):
        episode.submit(object())
    assert episode.turn == 0


@pytest.mark.parametrize(("given", "error"), [({"calls": -1}, "`calls`"), ({"floor": 1.5}, "a floor")])
def test_options_out_of_their_range_are_refused(talk: Path, given: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        planspec.environment(talk, **given)


def test_a_wrong_type_of_task_is_reported(talk: Path) -> None:
    with pytest.raises(TypeError, match="a task is a Task"):
        planspec.environment(3)  # type: ignore[arg-type]
    with pytest.raises(planspec.NotFoundError):
        planspec.environment(f"{talk}@3")
    with pytest.raises(planspec.PlanspecError, match="no setting `tell`"):
        planspec.environment(talk, "tell")


def test_an_episode_equals_an_attempt_of_a_run(talk: Path) -> None:
    """The same calls and answers give the same trace and verdict."""

    class PurseAgent:
        def answer(self, view: Any, desk: Any) -> Any:
            return answer_of_one(desk.call("purse", {})["amount"] + view.turn)

    record = attempt(AttemptSpec("talk", 0, 0), PurseAgent(), "fixed", open_task(talk), Limits(seconds=60))
    episode = planspec.environment(talk)
    while not episode.done:
        episode.submit(answer_of_one(episode.call("purse", {})["amount"] + episode.turn))
    assert episode.trace().calls == tuple(call.model_copy(update={"time": None}) for call in record.trace.calls)
    assert record.trace.calls and all(call.time is not None for call in record.trace.calls)
    assert episode.verdict is not None and episode.verdict.status == record.status == "fail"
    assert [f["status"] for f in record.verdict["findings"]] == [f.status for f in episode.verdict.findings]


# -- copies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copied",
    [planspec.Environment.copy, copy, deepcopy, lambda episode: pickle.loads(pickle.dumps(episode))],
    ids=["method", "copy", "deepcopy", "pickle"],
)
def test_a_copy_is_independent(talk: Path, copied: Any) -> None:
    episode = planspec.environment(talk, seed=5)
    episode.call("purse", {})
    episode.submit(answer_of_one(30))
    other = copied(episode)
    assert (repr(other), other.seed, other.verdict, other.calls) == (
        repr(episode),
        5,
        episode.verdict,
        episode.calls,
    )
    assert other.call("purse", {}) == {"amount": 20}
    assert other.submit(answer_of_one(20))["pass"] == 1
    assert (episode.turn, len(episode.calls)) == (1, 1)
    assert episode.submit(answer_of_one(30))["pass"] == 0


def test_a_pickle_is_small_and_detects_a_changed_task(talk: Path) -> None:
    pickled = pickle.dumps(planspec.environment(talk, floor=0.5))
    assert len(pickled) < 1000
    assert pickle.loads(pickled).floor == 0.5
    talk.write_text(TALK.replace("a third", "a half"), "utf-8")
    changed = pickle.dumps(planspec.environment(talk)).replace(planspec.load(talk).hash.encode(), b"0" * 64)
    with pytest.raises(TaskMismatchError, match="is not the one that was pickled"):
        pickle.loads(changed)


def test_an_environment_can_be_opened_again_by_its_recorded_path(talk: Path) -> None:
    first = planspec.environment(f"{talk}@1")
    assert first.source is not None and first.source.endswith("talk.task.yaml@1")
    again = planspec.environment(first.source, first.setting)
    assert (again.messages, again.turns) == (first.messages, 1)
    assert planspec.environment(planspec.loads(ONE.format(id="high", least=20))).source is None


def test_a_task_loaded_from_text_is_pickled_with_its_text() -> None:
    task = planspec.loads(ONE.format(id="low", least=3))
    again = pickle.loads(pickle.dumps(planspec.environment(task)))
    assert again.submit(answer_of_two(4))["reward"] == 1.0


def test_an_environment_of_a_loaded_conversation_cannot_be_pickled(talk: Path) -> None:
    episode = planspec.environment(planspec.load(talk))
    assert episode.turns == 2
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(episode)


@pytest.mark.slow
def test_a_thousand_copies_can_run_at_once_in_threads(talk: Path) -> None:
    first = planspec.environment(talk)
    many = [first.copy() for _ in range(1000)]

    def play(index: int) -> bool:
        episode = many[index]
        earned = [episode.submit(answer_of_one(episode.call("purse", {})["amount"] + index % 2)) for _ in range(2)]
        return earned[-1]["pass"] == 1

    with ThreadPoolExecutor(8) as pool:
        passed = list(pool.map(play, range(1000)))
    assert passed == [index % 2 == 0 for index in range(1000)]
    assert {len(episode.calls) for episode in many} == {2}
    assert first.turn == 0


# -- the reward ---------------------------------------------------------------------------------------------


def test_the_reward_follows_the_formula(pair: tuple[Path, Path]) -> None:
    episode = planspec.environment(pair[0])
    assert episode.floor is not None and 0.5 < episode.floor < 1

    def outcome_of(answer: Any) -> tuple[int, float, float]:
        out = episode.copy().submit(answer)
        return out["pass"], out["reward"], out["hard"]

    assert outcome_of(answer_of_two(4)) == (1, 1.0, 1.0)
    assert outcome_of(answer_of_two(5)) == (1, 0.8, 1.0)
    high = answer_of_two(21)  # a right answer to the other task violates only `near`, by 16
    assert planspec.verify(pair[1], high).status == "pass"
    assert outcome_of(high) == (0, 0.0, 0.75)
    near = [outcome_of(answer_of_two(n)) for n in (6, 7, 12)]
    assert [(passed, hard) for passed, _, hard in near] == [(0, 0.75)] * 3
    assert 0.4 > near[0][1] > near[1][1] > near[2][1] > 0
    out = planspec.environment(pair[0], floor=0.5).submit(answer_of_two(4, 9))
    assert out["reward"] == pytest.approx(0.4 * (0.75 - 0.5) / (1 - 0.5))


def test_without_certificates_of_other_tasks_only_a_pass_is_rewarded(tmp_path: Path) -> None:
    file = tmp_path / "low.task.yaml"
    file.write_text(ONE.format(id="low", least=3), "utf-8")
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "other.json").write_text("{}", "utf-8")
    episode = planspec.environment(file)
    assert episode.floor is None
    assert episode.copy().submit(answer_of_two(4, 9))["reward"] == 0.0
    assert episode.copy().submit(answer_of_two(4))["reward"] == 1.0


def test_the_random_plans_that_define_the_zero_of_the_reward_get_no_reward(pair: tuple[Path, Path]) -> None:
    episode = planspec.environment(pair[0])
    for seed in range(DRAWS):
        record = attempt(AttemptSpec("low", 0, seed), agent("random"), "random", open_task(pair[0]), Limits(seconds=60))
        out = episode.copy().submit(record.turns[-1].answer)
        assert out["reward"] == 0 or out["pass"]


def test_a_plan_without_rows_gets_no_reward(tmp_path: Path) -> None:
    rules = ["p.n > least", "p.n <= least + 2", "p.m > 1", "p.m < 5"]
    hard = "".join(f"  rule_{place}: {{hard: all({rule} for p in picks)}}\n" for place, rule in enumerate(rules))
    for name, least in (("low", 3), ("high", 20)):
        file = tmp_path / f"{name}.task.yaml"
        given = f"planspec: task/1\nid: {name}\nquery: A number over {least}.\ngiven: {{least: {least}}}\n"
        plan = "plan: {picks: {n: int, m: int}}\nscope: {picks: [{n: 0..40, m: 0..9}]}\n"
        file.write_text(f"{given}{plan}constraints:\n  one: {{hard: count(p for p in picks) == 1}}\n{hard}", "utf-8")
        write(planspec.certify(file), certificate_path(file, name))
    episode = planspec.environment(tmp_path / "low.task.yaml")
    assert episode.copy().submit({"picks": []})["delivered"] == 1
    assert episode.copy().submit({"picks": []})["reward"] == 0
    assert episode.copy().submit({"picks": [{"n": 4, "m": 2}]})["reward"] == 1


def test_certificates_of_readings_do_not_count_as_answers_to_other_tasks(tmp_path: Path) -> None:
    write_trips(tmp_path)
    (tmp_path / "certificates").mkdir()
    own = tmp_path / "one.task.yaml"
    for reading in ("whole", "some"):
        certificate = planspec.certify(planspec.load(own, given={"reading": reading}))
        write(certificate, certificate_path(own, f"one~{reading}"))
    assert measure_floor(Judge(planspec.load(own)), own) is None
    write(planspec.certify(planspec.load(tmp_path / "two.task.yaml")), certificate_path(own, "two"))
    assert measure_floor(Judge(planspec.load(own)), own) is not None


def test_a_folder_without_certificates_is_logged_once(
    tmp_path: Path, pair: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    planspec.environment(pair[0])
    bare = tmp_path / "bare"
    bare.mkdir()
    for name, least in (("low", 3), ("high", 20)):
        (bare / f"{name}.task.yaml").write_text(ONE.format(id=name, least=least), "utf-8")
    planspec.environment(bare / "low.task.yaml", floor=0.5)
    assert caplog.messages == []
    planspec.environment(bare / "low.task.yaml")
    assert len(list(planspec.environments_of(bare))) == 2
    assert caplog.messages == [
        f"{bare}: no certificates of other tasks, so failing plans earn nothing; run `planspec validate {bare} --certify`"
    ]


def test_environments_of_a_suite_share_files(pair: tuple[Path, Path]) -> None:
    many = list(planspec.environments_of(pair[0].parent, seed=2))
    assert [(episode.task, episode.seed) for episode in many] == [("high", 2), ("low", 2)]
    assert json.loads(json.dumps(many[1].submit(answer_of_two(4))))["pass"] == 1
    with pytest.raises(TypeError, match="a suite is"):
        next(planspec.environments_of(3))  # type: ignore[arg-type]
