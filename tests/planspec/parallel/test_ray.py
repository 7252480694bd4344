"""A Ray cluster gives the results of one process, even if one of its nodes is lost.

The two nodes are on loopback.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AgentSpec
from planspec.errors import UnsuitableClusterError
from planspec.parallel import PerWorker, RayCluster, map_parallel
from planspec.parallel.ray_pool import DriverContext
from planspec.runs import RunFolder, RunOptions, begin, resume_run
from tests.extras import needs
from tests.planspec.commands.test_command_line import GOOD, TINY, run
from tests.planspec.commands.test_jobs import remove_seconds
from tests.planspec.commands.test_task_tables import write_task_table
from tests.planspec.parallel import pieces
from tests.planspec.parallel.pieces import square

pytestmark = [pytest.mark.integration, needs("ray", extra="ray"), pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start a head node with one processor. Tests add a second node."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path.cwd()))  # nodes find the functions of these tests
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            yield made
        finally:
            made.shutdown()  # type: ignore[no-untyped-call, unused-ignore]


@pytest.fixture(scope="module")
def ray(cluster: Any) -> RayCluster:
    return RayCluster(cluster.address)


@pytest.fixture
def task_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a suite that makes tasks from the records of a table."""
    write_task_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_results_come_in_the_order_of_the_work(ray: RayCluster) -> None:
    results = map_parallel(square, [*range(50), -1, 2], ray, light=True)
    for n in range(50):
        assert next(results) == n * n
    with pytest.raises(ValueError, match="-1 is negative"):
        next(results)


def test_a_piece_of_work_that_ends_its_ray_actor_is_identified_and_does_not_affect_others(ray: RayCluster) -> None:
    made = list(map_parallel(pieces.kill_at_13, range(9, 15), ray, chunk=6, failed=pieces.describe_failure))
    assert made == [81, 100, 121, 144, "13: LostWorkerError None", 196]


def test_a_ray_node_with_another_version_of_the_code_is_refused(
    ray: RayCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = DriverContext.current()
    other = DriverContext(here.folder, here.environment, {**here.versions, "planspec": "0.0.1"})
    monkeypatch.setattr(DriverContext, "current", classmethod(lambda cls: other))
    with pytest.raises(UnsuitableClusterError, match=r"^the node \S+ has planspec .*, and here it is 0\.0\.1$"):
        list(map_parallel(square, range(3), ray))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", r"^no Ray cluster answers at 127\.0\.0\.1:1: Connection refused$"),
        ("here", "^the address of a Ray cluster is HOST:PORT, not `here`$"),
    ],
)
def test_a_cluster_that_does_not_answer_is_reported(address: str, message: str) -> None:
    with pytest.raises(UnsuitableClusterError, match=message):
        list(map_parallel(square, range(3), RayCluster(address)))


def test_a_missing_token_is_reported(ray: RayCluster, tmp_path: Path) -> None:
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "planspec", "validate", "worldtravel-berlin", "--ray", ray.address]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: Ray cannot show a token to {ray.address}: Token auth")


def test_no_result_is_missing_after_a_node_is_lost(cluster: Any, ray: RayCluster) -> None:
    second = cluster.add_node(num_cpus=1)
    results = map_parallel(PerWorker(pieces.NodeLocator), count(), ray)
    made = [next(results)]
    while len({node for _, node in made}) < 2:  # until both nodes work
        made.append(next(results))
    cluster.remove_node(second, allow_graceful=False)
    made += islice(results, 20)
    assert [n for n, _ in made] == list(range(len(made)))
    assert len({node for _, node in made[-10:]}) == 1
    results.close()  # type: ignore[attr-defined]


def test_commands_print_the_same_on_a_cluster(
    ray: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tiny", "other"):
        (tmp_path / f"{name}.task.yaml").write_text(TINY.replace("id: tiny", f"id: {name}"))
    lines = [json.dumps({"task": task, "plan": GOOD}) for task in ("tiny", "other")]
    (tmp_path / "plans.jsonl").write_text("\n".join(lines))
    for words in (
        ("score", "plans.jsonl", "--suite", ".", "--format", "json"),
        ("score", "plans.jsonl", "--suite", ".", "--many"),
        ("validate", ".", "--backends", "cpsat"),
    ):
        here = run(monkeypatch, capsys, *words)
        there = run(monkeypatch, capsys, *words, "--ray", ray.address)
        assert remove_seconds(there[1]) == remove_seconds(here[1])
        assert there[0] == here[0]


@pytest.mark.parametrize(
    "words",
    [
        ("validate", "week.suite.yaml", "--backends", "cpsat"),
        ("validate", "week.suite.yaml", "--certify", "--format", "json"),
        ("score", "answers.jsonl", "--suite", "week.suite.yaml", "--format", "json"),
        ("audit", "week.suite.yaml", "--answers", "answers.jsonl", "--format", "json"),
    ],
    ids=" ".join,
)
def test_tasks_of_a_table_are_the_same_on_a_cluster(
    words: tuple[str, ...],
    ray: RayCluster,
    task_table: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = run(monkeypatch, capsys, *words)
    assert "no (2)" in here[1]
    there = run(monkeypatch, capsys, *words, "--ray", ray.address)
    assert (there[0], remove_seconds(there[1])) == (here[0], remove_seconds(here[1]))


def test_a_run_of_a_table_on_a_cluster_has_the_records_of_a_local_run(ray: RayCluster, task_table: Path) -> None:
    made = {}
    for where in (1, ray):
        folder = RunFolder(task_table / str(where).replace("/", "-"))
        begin(RunOptions("week.suite.yaml", AgentSpec.read("oracle")), folder)
        resume_run(folder, where)
        made[where] = {a.task: (a.status, a.turns, a.verdict) for a in folder.attempts()}
    assert made[1] == made[ray]
    assert made[1].keys() == {"one", "no (2)"}


def test_a_run_on_a_cluster_has_the_records_of_a_local_run(ray: RayCluster, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    for name in ("tiny", "other", "third"):
        (suite / f"{name}.task.yaml").write_text(TINY.replace("id: tiny", f"id: {name}"))
    made = {}
    for where in (1, ray):
        folder = RunFolder(tmp_path / str(where).replace("/", "-"))
        begin(RunOptions(str(suite), AgentSpec.read("oracle")), folder)
        resume_run(folder, where)
        made[where] = {a.task: (a.status, a.turns, a.verdict) for a in folder.attempts()}
    assert made[1] == made[ray]
    assert {status for status, *_ in made[ray].values()} == {"pass"}
