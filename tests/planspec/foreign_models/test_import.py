"""`planspec import cpmpy` writes a task for the model in a Python file, or reports why it cannot."""

from __future__ import annotations

import pickle
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import planspec
from planspec.foreign_models import InexpressibleModelError, import_cpmpy
from planspec.foreign_models.output import ModelImportOutput
from tests.planspec.commands.test_command_line import run

needs_cpmpy = pytest.mark.skipif(find_spec("cpmpy") is None, reason="no CPMpy: pip install cpmpy")

BINS = '''\
"""
Put the things into bins of bounded size.

Few bins are best: use {as few} as you can.
"""
import cpmpy as cp

weights = [4, 3, 1, 3, 2]
n = len(weights)
bins = cp.intvar(0, 2, shape=n)
used = cp.boolvar(shape=3, name="used")
model = cp.Model()
for i in range(3):
    model += cp.sum(weights[j] * (bins[j] == i) for j in range(n)) <= 5
    model += used[i] == cp.any(bins == i)
first = bins[0] == 0
first.set_description("the {first} thing is in bin 0")
model += first
model.minimize(cp.sum(used))
print("noise")
if model.solve():
    print(bins.value().tolist())
'''
TASK = """\
planspec: task/1
id: bins
query: |-
  Put the things into bins of bounded size.

  Few bins are best: use {as few} as you can.
tables:
  Terms:
    columns: {weights: int, b: int}
    csv: |
      weights, b
      4, 0
      3, 1
      1, 2
      3, 3
      2, 4
plan:
  bins: {i: key int, value: int}
  used: {i: key int, value: bool}
scope:
  bins:
    - for: i in 0..4
      i: i
      value: 0..2
  used:
    - for: i in 0..2
      i: i
      value: {false, true}
closed: true
constraints:
  bins-domain:
    hard: all(r.value in 0..2 for r in bins)
    background: true
  # sum([4, 3, 1, 3, 2] * [bins[0] == 0, bins[1] == 0, bins[2] == 0, bins[3] == 0, bins[4] == 0]) <= 5, and 2 more
  c1:
    for: j in 0..2
    hard: sum(r.weights * (1 if bins[r.b].value == j else 0) for r in Terms) <= 5
  # (used[0]) == (or(bins[0] == 0, bins[1] == 0, bins[2] == 0, bins[3] == 0, bins[4] == 0)), and 2 more
  c2:
    for: j in 0..2
    hard: used[j].value == any(bins[i].value == j for i in 0..4)
  c3:
    hard: bins[0].value == 0
    says: "the {{first}} thing is in bin 0"
minimize: sum(1 if used[i].value else 0 for i in 0..2)
"""


def write(folder: Path, text: str, name: str = "bins.cpmpy.py") -> Path:
    """Write a Python file."""
    file = folder / name
    file.write_text(text, "utf-8")
    return file


@needs_cpmpy
def test_a_file_becomes_a_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = import_cpmpy(write(tmp_path, BINS), tmp_path / "tasks")
    assert capsys.readouterr().out == ""
    assert result.file == tmp_path / "tasks" / "bins.task.yaml"
    assert result.file.read_text("utf-8") == TASK
    solution = planspec.solve(result.file)
    assert (solution.status, solution.objective) == ("optimal", 3)


@needs_cpmpy
def test_the_command_prints_the_sizes_of_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, BINS)
    assert run(monkeypatch, capsys, "import", "cpmpy", "bins.cpmpy.py", "-o", "b.yaml") == (
        0,
        "task bins in b.yaml: 8 variables, 7 constraints, minimize\n",
        "",
    )
    code, out, err = run(monkeypatch, capsys, "import", "cpmpy", "bins.cpmpy.py", "-o", "b.yaml")
    assert (code, out) == (2, "")
    assert "`b.yaml` exists; --force replaces it" in err
    words = ("import", "cpmpy", "bins.cpmpy.py", "-o", "b.yaml", "--force", "--format", "json")
    code, out, _ = run(monkeypatch, capsys, *words)
    assert code == 0
    assert ModelImportOutput.model_validate_json(out).model_dump() == {
        "task": "bins",
        "file": "b.yaml",
        "variables": 8,
        "constraints": 7,
        "auxiliary": 0,
        "objective": "minimize",
    }


def test_without_cpmpy_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cpmpy", None)
    file = write(tmp_path, BINS)
    code, out, err = run(monkeypatch, capsys, "import", "cpmpy", str(file), "-o", str(tmp_path / "tasks"))
    assert (code, out) == (2, "")
    assert "CPMpy's models need CPMpy: pip install cpmpy" in err
    assert not (tmp_path / "tasks").exists()


def test_a_missing_file_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(monkeypatch, capsys, "import", "cpmpy", str(tmp_path / "no.py"), "-o", str(tmp_path))
    assert code == 2
    assert "there is no file" in err


HEAD = "import cpmpy as cp\nx = cp.intvar(0, 5, shape=3, name='x')\n"
REFUSED = {
    "no model": ("print(1)\n", "neither solves a `cpmpy.Model` nor has one"),
    "an error": (HEAD + "1 / 0\n", "cannot be run: ZeroDivisionError: division by zero"),
    "an exit": ("import sys\nsys.exit(3)\n", "cannot be run: SystemExit: 3"),
    "no syntax": ("def\n", "cannot be run: SyntaxError"),
    "weights": (
        HEAD + "from cpmpy.expressions.core import Operator\n"
        "m = cp.Model(x[0] > 1)\nm.maximize(Operator('wsum', [[0.5, 1], [x[0], x[1]]]))\n",
        "the objective cannot be imported: 0.5 is not a whole number",
    ),
    "a fraction": (
        HEAD + "m = cp.Model(x[0] > 1, x[1] + x[2] <= 2.5)\n",
        "`(x[1]) + (x[2]) <= 2.5` cannot be imported",
    ),
    "one solver's": (
        HEAD + "m = cp.Model()\nm += cp.DirectConstraint('AddAllDifferent', (list(x),))\n",
        "`AddAllDifferent` is a constraint of one solver",
    ),
    "a huge number": (
        "import cpmpy as cp\ny = cp.intvar(0, 2**60, name='y')\nm = cp.Model(y > 3)\n",
        "the language refuses the task of this model: PS",
    ),
    "no variables": ("import cpmpy as cp\nm = cp.Model([True])\n", "the model has no variables"),
}


@needs_cpmpy
@pytest.mark.parametrize("name", REFUSED)
def test_no_file_is_written_for_a_model_that_is_refused(tmp_path: Path, name: str) -> None:
    text, reason = REFUSED[name]
    with pytest.raises(InexpressibleModelError) as caught:
        import_cpmpy(write(tmp_path, text), tmp_path / "tasks")
    assert reason in str(caught.value)
    assert not (tmp_path / "tasks").exists()


@needs_cpmpy
def test_a_pickle_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "model.pickle"
    file.write_bytes(pickle.dumps([1]))
    with pytest.raises(InexpressibleModelError, match="is a pickle, which is not read"):
        import_cpmpy(file, tmp_path / "tasks")


@needs_cpmpy
@pytest.mark.parametrize(
    ("text", "name", "table"),
    [
        (HEAD + "a = cp.Model(x[0] > 1)\nb = cp.Model(cp.boolvar(name='z'))\n", None, "vars"),
        (HEAD + "a = cp.Model(x[0] > 1)\nb = cp.Model(cp.boolvar(name='z'))\n", "a", "x"),
        (HEAD + "def work():\n    m = cp.Model(x[0] > 1)\n    m.solve()\nwork()\n", None, "x"),
        (HEAD + "if __name__ == '__main__':\n    cp.Model(x[0] > 1).solveAll()\n", None, "x"),
        (HEAD + "s = cp.SolverLookup.get('ortools', cp.Model(x[0] > 1))\ns.solve()\n", None, "x"),
        (HEAD + "s = cp.SolverLookup.get('ortools')\ns += x[0] > 1\ns.solve()\n", None, "x"),
        (
            HEAD + "def work():\n    rooms = cp.intvar(0, 3, shape=2)\n    cp.Model(rooms[0] > 1).solve()\nwork()\n",
            None,
            "rooms",
        ),
        (
            "import cpmpy as cp\nhats = [[cp.boolvar()], [cp.boolvar()]]\nm = cp.Model(hats[1][0] | hats[0][0])\n",
            None,
            "hats",
        ),
    ],
)
def test_import_takes_the_named_model_or_the_one_that_the_program_solves(
    tmp_path: Path, text: str, name: str | None, table: str
) -> None:
    from cpmpy import Model, SolverLookup

    before = Model.solve, SolverLookup.get
    result = import_cpmpy(write(tmp_path, text), tmp_path, name=name)
    assert [each.name for each in planspec.load(result.file).plan_tables] == [table]
    assert before == (Model.solve, SolverLookup.get)


@needs_cpmpy
def test_an_unknown_name_lists_the_models(tmp_path: Path) -> None:
    with pytest.raises(InexpressibleModelError, match="has no model `c`; its models are: a, b"):
        import_cpmpy(write(tmp_path, HEAD + "a = cp.Model(x[0] > 1)\nb = cp.Model(x[1] > 1)\n"), tmp_path, name="c")


@needs_cpmpy
def test_names_and_bounds_of_all_kinds_are_imported(tmp_path: Path) -> None:
    text = """\
import cpmpy as cp
words = [cp.intvar(0, 3, name=name) for name in ("in", "one", "sum", "a b", "2nd", "größe", "r", "i")]
step = [cp.intvar(n, n + 2, name=f"step_{n}_{n + 1}") for n in (0, 4, 7)]
key = cp.intvar(0, 2, shape=(2, 2), name="key")
steep = [cp.intvar(0, n, name=f"steep[{n}]") for n in range(1, 7)]
flags = cp.boolvar(shape=4, name="all_different")
m = cp.Model(cp.sum(words) == 3, cp.sum(step) > 14, cp.AllDifferent(key[0]), cp.sum(steep) == 21, cp.all(flags))
"""
    result = import_cpmpy(write(tmp_path, text), tmp_path)
    task = planspec.load(result.file)
    assert [each.name for each in task.plan_tables] == ["step2", "key2", "steep", "all_different2", "vars"]
    assert list(task.tables["vars"].columns) == ["in2", "one2", "sum", "a_b", "v_2nd", "größe", "r", "i"]
    assert {"Cells"} <= set(task.tables)
    assert planspec.solve(task).status == "optimal"
    assert planspec.count(task, most=3).count == 3
