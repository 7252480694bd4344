"""The command line on real files: outputs, exit codes, and wrong arguments."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

import planspec
from planspec.api.outputs.answers import SolveOutput
from planspec.api.outputs.claims import ValidateOutput
from planspec.api.outputs.register import OUTPUTS
from planspec.api.outputs.scores import ScoreOutput
from planspec.cli import command_line
from planspec.errors import InternalError
from planspec.solvers.backends.outcome import Outcome, Status
from planspec.solvers.questions import prove, validation
from planspec.verifiers.meaning.verdict import Verdict
from tests.back_ends import SOLVERS
from tests.paths import ROOT

TINY = """\
planspec: task/1
id: tiny
query: Two calls, one after the other, within the hour.
types: {Call: anna | bert}
plan: {calls: {who: key Call, start: time, end: time}}
scope: {calls: [{for: c in Call, who: c, start: 09:00..10:00 step 30min, end: 09:00..10:00 step 30min}]}
constraints:
  length: {hard: all(c.end - c.start == 30min for c in calls)}
  order:
    hard: calls[anna].end <= calls[bert].start
    message: anna comes first
  early:
    soft: calls[bert].end <= 09:45
minimize: calls[bert].end - 09:00
"""
GOOD = {
    "calls": [
        {"who": "anna", "start": "09:00", "end": "09:30"},
        {"who": "bert", "start": "09:30", "end": "10:00"},
    ]
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, which has a task and an answer that passes."""
    (tmp_path / "tiny.task.yaml").write_text(TINY, "utf-8")
    (tmp_path / "good.json").write_text(json.dumps({"task": "tiny", "plan": GOOD}), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run planspec with arguments in this process.

    Returns:
        The exit code, standard output and standard error.
    """
    monkeypatch.setattr(sys, "argv", ["planspec", *words])
    with pytest.raises(SystemExit) as exit_info:
        command_line()
    printed = capsys.readouterr()
    code = exit_info.value.code
    return (code if isinstance(code, int) else 0), printed.out, printed.err


@pytest.mark.usefixtures("folder")
class TestVerdicts:
    """`verify`, `score`, `solve` and `validate` on a small task."""

    def test_a_plan_that_passes_exits_0(self, monkeypatch: Any, capsys: Any) -> None:
        """The task is found by the id in the answer's envelope."""
        code, out, _ = run(monkeypatch, capsys, "verify", "good.json", "--format", "json")
        verdict = TypeAdapter(Verdict).validate_json(out)
        assert (code, verdict.status, verdict.hard.satisfied, verdict.soft.satisfied) == (0, "pass", 2, 0)

    def test_a_failing_plan_exits_1_with_the_reason(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        """The output has the message, the margin and the place of the rule."""
        swapped = {"calls": [{**GOOD["calls"][0], "who": "bert"}, {**GOOD["calls"][1], "who": "anna"}]}
        (folder / "bad.json").write_text(json.dumps(swapped), "utf-8")
        code, out, _ = run(monkeypatch, capsys, "verify", "bad.json", "--task", "tiny.task.yaml")
        assert code == 1
        assert "anna comes first" in out
        assert "tiny.task.yaml:10" in out

    @pytest.mark.parametrize("text", ["[1]", '"a text"', "NaN", "", "{" * 5000, '{"calls": 3}'])
    def test_an_unreadable_answer_exits_1_without_a_traceback(
        self, text: str, folder: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        """The verdict is `undelivered`, or has findings about the answer's shape."""
        (folder / "bad.json").write_text(text, "utf-8")
        code, out, err = run(monkeypatch, capsys, "verify", "bad.json", "--task", "tiny", "--format", "json")
        assert code == 1
        assert json.loads(out)["status"] in ("undelivered", "fail")
        assert "Traceback" not in err

    def test_verify_takes_the_task_before_or_after_the_plan(self, monkeypatch: Any, capsys: Any) -> None:
        """The option `--quiet` prints only violations and the verdict."""
        for words in (("tiny", "good.json"), ("good.json", "tiny"), ("tiny.task.yaml", "good.json")):
            code, out, _ = run(monkeypatch, capsys, "verify", *words, "-q")
            assert (code, [line.split()[0] for line in out.splitlines()]) == (0, ["x", "=", "pass"])
        code, _, err = run(monkeypatch, capsys, "verify", "good.json", "tiny", "--task", "tiny")
        assert (code, "named twice" in err) == (2, True)

    def test_solve_replaces_a_reference_with_force(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        """A reference is not replaced without `--force`. Other inputs are never overwritten."""
        (folder / "old.json").write_text(json.dumps(GOOD), "utf-8")
        (folder / "tiny.task.yaml").write_text(TINY + "reference: old.json\n", "utf-8")
        code, _, err = run(monkeypatch, capsys, "solve", "tiny", "-o", "old.json")
        assert (code, "--force replaces it" in err) == (2, True)
        assert run(monkeypatch, capsys, "solve", "tiny", "-o", "old.json", "--force")[0] == 0
        assert json.loads((folder / "old.json").read_text())["task"] == "tiny"
        assert run(monkeypatch, capsys, "validate", "tiny")[0] == 0
        code, _, err = run(monkeypatch, capsys, "solve", "tiny", "-o", "tiny.task.yaml", "--force")
        assert (code, "would be overwritten" in err) == (2, True)

    def test_solve_prints_the_best_plan(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        """The option `-o` writes an envelope that `verify` accepts."""
        code, out, _ = run(monkeypatch, capsys, "solve", "tiny", "--format", "json", "-o", "best.json")
        output = SolveOutput.model_validate_json(out)
        assert (code, output.status, output.objective, output.plan) == (0, "optimal", 60, GOOD)
        assert run(monkeypatch, capsys, "verify", "best.json")[0] == 0

    def test_solve_reports_progress(self, monkeypatch: Any, capsys: Any) -> None:
        """Progress goes to standard error; standard output has only JSON."""
        code, out, err = run(monkeypatch, capsys, "solve", "tiny", "--progress", "--format", "json")
        assert (code, SolveOutput.model_validate_json(out).bound) == (0, 60)
        assert err.splitlines()[-1].startswith("best 1h, at least ")
        assert err.splitlines()[-1].endswith(" proved")

    def test_validate_names_the_back_ends_of_each_proof(self, monkeypatch: Any, capsys: Any) -> None:
        """Both back ends prove the task feasible and unique."""
        code, out, _ = run(monkeypatch, capsys, "validate", "tiny", "--format", "json")
        outputs = TypeAdapter(list[ValidateOutput]).validate_json(out)
        assert code == 0
        assert {n: b.status for n, b in outputs[0].unique.backends.items()} == {
            "cpsat": "unique",
            "smt": "unique",
        }

    def test_a_second_plan_exits_1_and_is_shown(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        """The task has two plans without the constraint `order`."""
        (folder / "loose.task.yaml").write_text(
            TINY.replace("id: tiny", "id: loose\nexpects: unique").replace("<= calls[bert].start", "!= calls[bert].end")
        )
        code, out, _ = run(monkeypatch, capsys, "validate", "loose", "--format", "json")
        assert (code, json.loads(out)[0]["as_expected"]) == (1, False)
        assert json.loads(out)[0]["unique"]["second"]["calls"]

    def test_an_infeasible_task_exits_1(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        """Two calls of an hour do not fit into the scope."""
        (folder / "full.task.yaml").write_text(TINY.replace("id: tiny", "id: full").replace("== 30min", "== 60min"))
        assert run(monkeypatch, capsys, "solve", "full")[0] == 1
        code, out, _ = run(monkeypatch, capsys, "validate", "full", "--format", "json")
        assert (code, json.loads(out)[0]["feasible"]["status"]) == (1, "infeasible")

    def test_a_reached_limit_exits_3(self, monkeypatch: Any, capsys: Any) -> None:
        """A result that is unknown is never shown as infeasible or unique."""

        class TimedOutSession:
            def add(self, *_: object) -> None: ...

            def solve(self, **_: object) -> Outcome:
                return Outcome(Status.UNKNOWN)

        for module in (prove, validation):
            monkeypatch.setattr(module, "open_session", lambda *_: TimedOutSession())
        assert run(monkeypatch, capsys, "solve", "tiny")[0] == 3
        code, out, _ = run(monkeypatch, capsys, "validate", "tiny", "--format", "json")
        assert (code, json.loads(out)[0]["unique"]["status"]) == (3, "unknown")

    def test_a_witness_that_the_verifier_refuses_exits_70(self, monkeypatch: Any, capsys: Any) -> None:
        """The message has the task's hash and asks the user to report the bug."""

        def report_bug(*_: object) -> None:
            raise InternalError("a back end's plan violates `order`", "0123456789abcdef")

        monkeypatch.setattr(validation, "witness", report_bug)
        code, _, err = run(monkeypatch, capsys, "validate", "tiny")
        assert code == 70
        assert "0123456789abcdef" in err

    @pytest.mark.slow
    def test_score_counts_undelivered_answers(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        """The suite has two tasks, one of them answered."""
        (folder / "other.task.yaml").write_text(TINY.replace("id: tiny", "id: other"))
        (folder / "two.suite.yaml").write_text("planspec: suite/1\nid: two\ntitle: Two\ntasks: [tiny, other]\n")
        (folder / "answers.jsonl").write_text(json.dumps({"task": "tiny", "plan": GOOD}) + "\n")
        code, out, _ = run(monkeypatch, capsys, "score", "answers.jsonl", "--suite", "two", "--format", "json")
        output = ScoreOutput.model_validate_json(out)
        assert code == 1
        assert (output.metrics["n"], output.metrics["delivered"], output.metrics["pass_rate"]) == (2, 1, 0.5)
        assert [v.status for v in output.plans] == ["pass", "undelivered"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["verify", "missing.json"], "no file"),
        (["verify", "."], "folder"),
        (["verify", "good.json", "--task", "tinny"], "tiny"),
        (["verify", "good.json", "--profile", "official"], "profile"),
        (["solve", "berlin-0001"], "berlin-001"),
        (["solve", "tiny", "--backend", "gurobi"], "cpsat"),
        (["validate", "."], ""),
        (["check", "missing.yaml"], "no file"),
        (["explain", "PS999"], "no diagnostic"),
        (["schema", "nothing"], "no schema"),
        (["score", "good.json", "--suite", "nothing"], "no suite"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_wrong_arguments_exit_2(words: list[str], message: str, monkeypatch: Any, capsys: Any) -> None:
    """The message is one plain line without a traceback."""
    code, _, err = run(monkeypatch, capsys, *words)
    assert code == (0 if words == ["validate", "."] else 2)
    assert message in err
    assert "Traceback" not in err


def test_a_task_with_mistakes_exits_2_and_shows_them(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    """Each mistake is printed with a caret under it."""
    (folder / "wrong.task.yaml").write_text(TINY.replace("calls[anna].end <=", "calls[ana].end <="))
    code, _, err = run(monkeypatch, capsys, "solve", "wrong.task.yaml")
    assert code == 2
    assert "error[PS201]" in err
    assert "did you mean `anna`?" in err


@pytest.mark.usefixtures("folder")
def test_check_prints_nothing_about_correct_documents(monkeypatch: Any, capsys: Any) -> None:
    """The formats text and line are empty, and JSON and SARIF have no results."""
    assert run(monkeypatch, capsys, "check", ".")[:2] == (0, "")
    assert run(monkeypatch, capsys, "check", ".", "--format", "line")[:2] == (0, "")
    assert json.loads(run(monkeypatch, capsys, "check", ".", "--format", "json")[1]) == []
    assert json.loads(run(monkeypatch, capsys, "check", ".", "--format", "sarif")[1])["version"] == "2.1.0"


def test_fmt_check_names_files_that_would_change(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    """The files are changed only without `--check`."""
    (folder / "tiny.task.yaml").write_text(TINY.replace("c.end - c.start == 30min", "(c.end-c.start)==30min"))
    assert run(monkeypatch, capsys, "fmt", "tiny.task.yaml", "--check")[0] == 1
    assert run(monkeypatch, capsys, "fmt", "tiny.task.yaml")[0] == 0
    assert run(monkeypatch, capsys, "fmt", "tiny.task.yaml", "--check")[0] == 0
    assert "c.end - c.start == 30min" in (folder / "tiny.task.yaml").read_text()


def test_fmt_does_not_change_a_file_of_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "ci.yaml"
    other.write_text("name: CI\non: [push,   pull]\n")
    code, _, err = run(monkeypatch, capsys, "fmt", str(other))
    assert (code, "PS008" in err) == (2, True)
    assert other.read_text() == "name: CI\non: [push,   pull]\n"


@pytest.mark.slow
def test_every_output_has_a_schema(monkeypatch: Any, capsys: Any) -> None:
    """Every kind of document also has a schema."""
    for name in ("library", "world", "task", "suite", *(f"output/{n}" for n in OUTPUTS)):
        code, out, _ = run(monkeypatch, capsys, "schema", name)
        assert code == 0
        assert isinstance(json.loads(out), dict)


@pytest.mark.slow
def test_tasks_are_listed_and_shown(monkeypatch: Any, capsys: Any) -> None:
    """The list has the shipped tasks."""
    listed = json.loads(run(monkeypatch, capsys, "tasks", "list", "--format", "json")[1])
    berlin = next(entry for entry in listed if entry["id"] == "berlin-001")
    assert (berlin["family"], berlin["suite"]) == ("worldtravel", "worldtravel-berlin")
    assert "hard  dwell[borchardt]" in run(monkeypatch, capsys, "tasks", "show", "berlin-001")[1]


@pytest.mark.slow
def test_a_closed_standard_input_exits_2() -> None:
    """The command is `planspec verify - <&-`."""
    command = f"exec {sys.executable} -m planspec verify - --task berlin-001 <&-"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert result.returncode in (1, 2)
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_verify_loads_no_solver() -> None:
    """The packages ortools, z3 and networkx are not imported."""
    program = (
        "import sys; sys.argv = ['planspec', 'verify', 'tasks/worldtravel/answers/demo-pass.json']\n"
        "from planspec.cli import main\n"
        "try: main()\n"
        "except SystemExit as left: print(left.code)\n"
        "print(sorted({'ortools', 'z3', 'networkx', 'numpy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


HARD = """\
planspec: task/1
id: hard
query: Sixteen numbers, of which nobody knows whether they exist.
types: {P: a | b | c | d | e | f | g | h | i | j | k | l | m | n | o | p}
plan: {x: {p: key P, n: int, m: int}}
scope: {x: [{for: q in P, p: q, n: 0..400, m: 0..400}]}
constraints:
  products: {hard: sum(r.n * r.m for r in x) == 77773}
  squares: {hard: sum(r.n * r.n for r in x) == 1234567}
  cubes: {hard: sum(r.n * r.m * r.m for r in x) == 1234577}
  distinct: {hard: all_different(r.n for r in x)}
"""
INTERRUPTED = """\
import os, signal, sys, threading
from planspec.cli import main
from planspec.solvers.questions.budget import TimeBudget
before, ask = int(sys.argv[2]), TimeBudget.ask
def interrupted(*args, **options):
    global before
    if before == 0:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    before -= 1
    return ask(*args, **options)
TimeBudget.ask = interrupted
sys.argv = ["planspec", "solve", "hard.task.yaml", "--timeout", "100", "--backend", sys.argv[1]]
main()
"""
"""Program that interrupts itself in a search after `argv[2]` other searches, at the same point on fast and slow
machines.
"""


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("backend", SOLVERS)
def test_ctrl_c_ends_a_search(folder: Path, backend: str) -> None:
    """Both solvers would catch the signal themselves if planspec did not prevent it."""
    (folder / "hard.task.yaml").write_text(HARD, "utf-8")
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, backend, "0"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr.splitlines()[0] == "interrupted: these are the results so far"
    assert result.stderr.splitlines()[1].startswith(f"unknown, interrupted ({backend}, ")


EVEN = """\
planspec: task/1
id: even
query: Twenty weights on three scales, as evenly as one can.
types: {Scale: a | b | c, Item: a1 | a2 | a3 | a4 | a5 | a6 | a7 | a8 | a9 | b1 | b2 | b3 | b4 | b5 | b6 | b7 | b8 | b9 | c1 | c2 | c3 | c4 | c5 | c6}
tables:
  Weight:
    columns: {item: key Item, grams: int}
    rows:
WEIGHTS
plan: {put: {item: key Item, on: Scale}}
scope: {put: [{for: i in Item, item: i, on: {a, b, c}}]}
define:
  load(s Scale): sum(Weight[p.item].grams for p in put if p.on == s)
constraints:
  order:
    hard: load(a) >= load(b) and load(b) >= load(c)
minimize: load(a) - load(c)
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_ctrl_c_prints_the_best_plan_so_far(folder: Path) -> None:
    names = [f"{letter}{number}" for letter, most in (("a", 9), ("b", 9), ("c", 6)) for number in range(1, most + 1)]
    rows = "\n".join(
        f"      - {{item: {name}, grams: {1000 + 7919 * place**3 % 90_001}}}" for place, name in enumerate(names)
    )
    (folder / "hard.task.yaml").write_text(EVEN.replace("WEIGHTS", rows), "utf-8")
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "cpsat", "1"], capture_output=True, text=True, check=False, timeout=60
    )
    lines = result.stderr.splitlines()
    assert (result.returncode, lines[0]) == (130, "interrupted: these are the results so far")
    assert lines[1].startswith("feasible, interrupted, objective ") and "not proved the best" in lines[1]
    answer = json.loads(result.stdout)
    assert planspec.verify("hard.task.yaml", json.dumps(answer["plan"])).status == "pass"


@pytest.mark.thorough
@pytest.mark.slow
def test_ctrl_c_prints_the_proof_of_one_back_end(folder: Path) -> None:
    """The problem is a pigeonhole problem. CP-SAT decides it at once, but Z3 needs more than a minute."""
    people, places = 11, 10
    (folder / "hard.task.yaml").write_text(
        "planspec: task/1\nid: holes\nquery: Everybody has a place of their own.\n"
        f"types: {{P: {' | '.join(f'p{n}' for n in range(people))}, Q: {' | '.join(f'q{n}' for n in range(places))}}}\n"
        "plan: {sits: {who: key P, where: Q}}\nscope: {sits: [{for: p in P, who: p, where: {"
        + ", ".join(f"q{n}" for n in range(places))
        + "}}]}\nconstraints:\n  apart:\n    hard: all(r.where != s.where for r in sits for s in sits if r.who != s.who)\n",
        "utf-8",
    )
    program = INTERRUPTED.replace('"solve", "hard.task.yaml"', '"validate", "hard.task.yaml"').replace(
        '"--backend", sys.argv[1]', '"--backends", sys.argv[1]'
    )
    result = subprocess.run(
        [sys.executable, "-c", program, "cpsat,smt", "1"], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 130, result.stderr
    assert "cpsat infeasible" in result.stdout and "smt unknown" in result.stdout
