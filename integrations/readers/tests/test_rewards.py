"""Each reader's own loader and grading code gives the exported tasks the rewards that planspec gives them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest
from box import grade, why_unavailable
from conftest import KINDS, TASKS, Export
from graded import ORACLE

from planspec.api.exported_judge import ExportedJudge

READERS = {
    "harbor": "harbor",
    "verifiers": "verifiers",
    "inspect": "inspect_harbor",
    "trl": "trl",
    "openenv": "openenv",
}
"""Python package of each reader (a harness that reads exported tasks)."""
NEEDED = {"openenv": ("harbor",), "trl": ("harbor",), "verifiers": ("harbor",)}
PASSES = {"right": 1, "other": 1, "wrong": 0, "forged": 0, "empty": 0, "missing": 0}


@pytest.fixture(params=READERS)
def program(request: pytest.FixtureRequest) -> str:
    reader: str = request.param
    if sys.version_info < (3, 12) and (reader == "inspect" or "harbor" in (reader, *NEEDED.get(reader, ()))):
        pytest.skip(f"{reader} needs Python 3.12 for Harbor's tasks")
    for package in (READERS[reader], *NEEDED.get(reader, ())):
        if find_spec(package) is None:
            pytest.skip(f"`{package}` is not installed in this environment")
    if (reason := why_unavailable()) is not None:
        pytest.skip(reason)
    return f"by_{reader}.py"


def comparable(rewards: dict[str, float], program: str) -> dict[str, float]:
    """Return the rewards that a reader can report: only `reward` for TRL, otherwise all."""
    return {"reward": rewards["reward"]} if program == "by_trl.py" else rewards


def test_each_answer_has_the_same_rewards_as_in_process(export: Export, program: str) -> None:
    attempts = [attempt for task in TASKS for attempt in export.attempts(task)]
    graded = grade(export.folder, program, attempts)
    passed = []
    for (folder, answer), result in zip(attempts, graded, strict=True):
        judge = ExportedJudge(export.folder / folder / "tests")
        expected = judge.rewards(judge.verdict(answer))
        assert result.get("rewards") == comparable(expected, program), (folder, answer, result)
        passed.append(result["rewards"]["reward"])
    assert passed == [PASSES[kind] for _ in TASKS for kind in KINDS]


def test_a_judge_that_breaks_is_an_error_and_no_zero(export: Export, program: str) -> None:
    for answer in (export.answers["two"]["right"], None):
        [result] = grade(export.folder, program, [("broken/broken", answer)])
        assert "rewards" not in result
        assert "eward" in result["error"], result["error"]


def test_the_oracle_of_the_reader_is_right(export: Export, program: str) -> None:
    if program not in ("by_harbor.py", "by_inspect.py", "by_openenv.py"):
        pytest.skip("this reader has no oracle")
    graded = grade(export.folder, program, [(f"{task}/{task}", ORACLE) for task in TASKS])
    assert [result.get("rewards", result)["reward"] for result in graded] == [1] * len(TASKS)


def test_inspect_finds_an_image_for_the_agent_and_the_context_of_the_tools(export: Export) -> None:
    if find_spec("inspect_harbor") is None:
        pytest.skip("`inspect_harbor` is not installed in this environment")
    from inspect_harbor._harbor.converters import harbor_to_compose_config
    from inspect_harbor._harbor.task import load_harbor_tasks

    folder = export.folder / "berlin-001" / "berlin-001"
    services = harbor_to_compose_config(load_harbor_tasks(path=folder)[0]).services
    assert services["main"].image == "python:3.12-slim"
    assert services["tools"].build.context == str(folder / "environment" / "tools")
    assert (folder / "environment" / "tools" / "Dockerfile").is_file()
