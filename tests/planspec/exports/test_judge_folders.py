"""Judges that are exported to folders give the same rewards as in this process, in a Python without any package."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api import exported_judge
from planspec.api.exported_judge import ExportedJudge, JudgeRecord
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.shared import share
from planspec.exports.bundle import LocatedTask, UnsuitableExportError, locate_task, right_answer
from planspec.exports.judge_folder import write_judge
from planspec.exports.judge_zip import judge_zip
from planspec.family.registry import families, family_of
from tests.planspec.commands.test_command_line import run as command

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("judge folders")]

TASKS = ("sudoku", "roster", "menu", "car-sequencing", "berlin-001", "1", "veritrip-001", "mb-000001", "mb-000002")
"""Tasks without a family, with soft constraints, with turns, and one of each family."""
FORGED = '{"reward": 1, "pass": true, "hard": 1.0}'
PROGRAM = """\
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from planspec.api import exported_judge
from planspec.api.exported_judge import ExportedJudge
judge = ExportedJudge(Path(sys.argv[2]))
for answer in json.load(sys.stdin):
    verdict = judge.verdict(answer)
    print(json.dumps([str(verdict), judge.rewards(verdict)]))
"""
REFUSABLE = """\
planspec: task/1
id: {id}
query: A number.
expects: {expects}
plan: {{t: {{one: true, n: int}}}}
scope: {{t: {{n: 0..9}}}}
environment: {{refusals: conflicts}}
constraints:
  low: {{hard: t.n < {low}}}
  high: {{hard: t.n > 5}}
  even: {{hard: t.n % 2 == 0}}
"""


def located_task(name: str, out: Path) -> LocatedTask:
    """Return a shipped task as an export to a folder represents it."""
    shared = share(name, None, None, Workspace())
    return LocatedTask(shared, "task", *locate_task(shared, out))


def write(name: str, out: Path) -> tuple[Path, Any]:
    """Write the judge of a task. Return its folder, and a right answer."""
    task = located_task(name, out)
    answer = right_answer(task.shared, 30)
    write_judge(out / "tests", task, answer=answer, others=[], seconds=30, store=out)
    return out / "tests", answer


def judged_without_packages(
    folder: Path, answers: list[str | None], tmp_path: Path
) -> list[tuple[str, dict[str, float]]]:
    """Return verdicts and rewards of answers, judged by a Python that has only the packages in the folder."""
    code = zipfile.ZipFile(folder / "judge.zip").read("modules.zip")
    zipfile.ZipFile(BytesIO(code)).extractall(tmp_path / "code")
    command = [sys.executable, "-I", "-S", "-B", "-c", PROGRAM, str(tmp_path / "code"), str(folder)]
    done = subprocess.run(command, input=json.dumps(answers), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def misspell(value: Any) -> Any:
    """Return an answer with a letter added to each string that consists of letters."""
    match value:
        case dict():
            return {key: misspell(each) for key, each in value.items()}
        case list():
            return [misspell(each) for each in value]
        case str() if value.isalpha():
            return value + "x"
        case _:
            return value


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", TASKS)
def test_a_folder_judges_as_the_environment_does(name: str, tmp_path: Path) -> None:
    folder, answer = write(name, tmp_path)
    right = json.dumps(answer, default=str)
    answers = [right, json.dumps(misspell(json.loads(right))), "{}", FORGED, "no answer", None]
    alone = judged_without_packages(folder, answers, tmp_path)
    for given, (_, rewards) in zip(answers, alone, strict=True):
        episode = planspec.environment(name)
        while episode.turn < episode.turns - 1:
            episode.submit(None)
        outcome = episode.submit(given)
        assert rewards["reward"] == outcome["pass"], given
        assert rewards["violations"] == outcome["violations"], given
        if outcome["pass"]:
            assert (rewards["hard"], rewards.get("soft")) == (outcome["hard"], outcome["soft"])
    assert alone[0][1]["reward"] == 1
    for _, rewards in alone[2:]:
        assert not any(rewards[name] for name in ("reward", "dense", "hard")), "an answer without work earns something"
        assert not rewards.get("soft")


def test_verdicts_are_the_same_from_the_folder_and_in_process(tmp_path: Path) -> None:
    folder, answer = write("meetings", tmp_path)
    answers = [json.dumps(misspell(json.loads(json.dumps(answer, default=str)))), FORGED]
    judge = ExportedJudge(folder)
    expected = [str(judge.verdict(each)) for each in answers]
    assert [text for text, _ in judged_without_packages(folder, [*answers], tmp_path)] == expected


@pytest.mark.sampled(9)
@pytest.mark.parametrize("family", ["generic", *(each.name for each in families())])
def test_each_family_s_judge_is_small_and_reproducible(family: str) -> None:
    code = judge_zip(family_of(family))
    assert len(code) <= 500_000
    judge_zip.__globals__["_judge_zip"].cache_clear()
    assert judge_zip(family_of(family)) == code


def test_a_judge_has_the_licences_and_sources_with_unchanged_line_numbers() -> None:
    modules = zipfile.ZipFile(BytesIO(zipfile.ZipFile(BytesIO(judge_zip(family_of(None)))).read("modules.zip")))
    text = modules.read("planspec/api/exported_judge.py").decode("utf-8")
    source = Path(exported_judge.__file__).read_text("utf-8")
    assert len(text.splitlines()) == len(source.splitlines())
    line = next(number for number, each in enumerate(source.splitlines()) if each.startswith("class ExportedJudge"))
    assert text.splitlines()[line] == source.splitlines()[line]
    assert '"""' not in text
    licensed = {name.split("-")[0].lower() for name in modules.namelist() if Path(name).name.startswith("LICENSE")}
    assert licensed == {"lark", "planspec", "pyyaml", "rapidfuzz"}


def test_refusals_are_judged_by_the_minimal_conflicts(tmp_path: Path) -> None:
    file = tmp_path / "suite" / "none.task.yaml"
    file.parent.mkdir()
    file.write_text(REFUSABLE.format(id="none", expects="infeasible", low=3), "utf-8")
    folder, _ = write(str(file), tmp_path / "out")
    assert json.loads((folder / "judge.json").read_text("utf-8"))["conflicts"] == [["high", "low"]]
    named: list[Any] = [True, ["low", "high"], ["low", "high", "even"], ["low", "even"], ["other"], []]
    answers = [json.dumps({"infeasible": each}) for each in named]
    rewards = [rewards["reward"] for _, rewards in judged_without_packages(folder, [*answers], tmp_path)]
    judge = planspec.Judge(str(file))
    assert rewards == [int(judge.answer(each).status == "pass") for each in answers] == [1, 1, 1, 0, 0, 0]


def test_a_refusal_of_a_task_with_a_plan_gets_no_reward(tmp_path: Path) -> None:
    file = tmp_path / "suite" / "some.task.yaml"
    file.parent.mkdir()
    file.write_text(REFUSABLE.format(id="some", expects="feasible", low=8), "utf-8")
    folder, _ = write(str(file), tmp_path / "out")
    assert json.loads((folder / "judge.json").read_text("utf-8"))["conflicts"] == []
    (_, rewards), (_, right) = judged_without_packages(folder, ['{"infeasible": true}', '{"t": {"n": 6}}'], tmp_path)
    assert (rewards["reward"], rewards["hard"], right["reward"]) == (0, 0, 1)


def test_an_answer_to_a_task_with_max_gap_is_judged_by_the_certified_best_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "suite" / "gap.task.yaml"
    file.parent.mkdir()
    text = REFUSABLE.format(id="gap", expects="feasible", low=10).replace("refusals: conflicts", "refusals: none")
    file.write_text(f"{text}minimize: t.n\nmax_gap: 1\n", "utf-8")
    with pytest.raises(planspec.UnsuitableTaskError):
        located_task(str(file), tmp_path / "out")
    assert command(monkeypatch, capsys, "validate", str(file), "--certify")[0] == 0
    folder, _ = write(str(file), tmp_path / "out")
    rewards = [
        each["reward"] for _, each in judged_without_packages(folder, ['{"t": {"n": 6}}', '{"t": {"n": 8}}'], tmp_path)
    ]
    assert rewards == [1, 0]


def test_a_record_is_read_back_unchanged(tmp_path: Path) -> None:
    folder, _ = write("roster", tmp_path)
    record = ExportedJudge(folder).record
    assert JudgeRecord.from_json(json.loads(json.dumps(record.as_json()))) == record
    with pytest.raises(ValueError, match="judge/1"):
        JudgeRecord.from_json({**record.as_json(), "planspec": "judge/2"})


def test_a_judge_that_was_changed_is_not_run(tmp_path: Path) -> None:
    folder, _ = write("sudoku", tmp_path)
    (folder / "judge.zip").write_bytes((folder / "judge.zip").read_bytes() + b"x")
    command = [sys.executable, "-I", "-S", str(folder / "verify.py"), "answer.json", str(tmp_path / "reward.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "judge.zip is not the one that was exported")
    assert not (tmp_path / "reward.json").exists()


def test_a_table_that_other_packages_read_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    suite = tmp_path / "suite"
    suite.mkdir()
    parquet.write_table(pyarrow.table({"n": [1, 2]}), suite / "numbers.parquet")
    (suite / "p.task.yaml").write_text(
        "planspec: task/1\nid: p\nquery: q\nplan: {t: {one: true, n: int}}\nscope: {t: {n: 1..3}}\n"
        "tables: {Number: {parquet: numbers.parquet, columns: {n: int}}}\n"
        "constraints: {some: {hard: any(x.n == t.n for x in Number)}}\n",
        "utf-8",
    )
    with pytest.raises(UnsuitableExportError, match="only pyarrow reads"):
        write(str(suite / "p.task.yaml"), tmp_path / "out")
