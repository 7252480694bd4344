"""`solve --minimize` and `--maximize` replace the task's objective without a change of its text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.overlay import with_objective
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.solvers.backends.register import BACKENDS
from tests.dsl.small_talk import TALK
from tests.families.travelplanner.official.small_world import SMALL
from tests.planspec.commands.test_command_line import run

TASK = """\
planspec: task/1
id: shop
query: Buy two things.
currency: EUR
tables:
  Thing:
    columns: {price: money, weight: int}
    rows: [{id: a, price: 3 EUR, weight: 9}, {id: b, price: 5 EUR, weight: 1}, {id: c, price: 8 EUR, weight: 4}]
plan:
  bought: {n: key int, thing: Thing}
define:
  spent: sum(x.thing.price for x in bought)
  heavy: sum(x.thing.weight for x in bought)
measures: [spent]
constraints:
  two: {hard: all_different(x.thing for x in bought)}
scope:
  bought:
    - for: n in 1..2
      n: n
      thing: (t for t in Thing)
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return the path of a task."""
    path = tmp_path / "shop.yaml"
    path.write_text(TASK, "utf-8")
    return path


def solve_as_json(monkeypatch: Any, capsys: Any, task: Path | str, *words: str) -> tuple[int, dict[str, Any], str]:
    """Run `planspec solve`. Return the exit code, the JSON output, and standard error."""
    code, out, err = run(monkeypatch, capsys, "solve", str(task), *words, "--format", "json")
    return code, json.loads(out) if out else {}, err


@pytest.mark.parametrize(
    ("flag", "expression", "best"),
    [
        ("--minimize", "spent", 8),
        ("--maximize", "spent", 13),
        ("--minimize", "heavy", 5),
        ("--maximize", "heavy", 13),
        ("--minimize", "sum(x.thing.price for x in bought)", 8),
        ("--maximize", " sum( x.thing.weight\n  for x in bought )  - 1", 12),
        ("--minimize", "count(x for x in bought if x.thing == Thing.a)", 0),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_measure_or_any_expression_is_proved_best(
    shop: Path, monkeypatch: Any, capsys: Any, flag: str, expression: str, best: int, backend: str
) -> None:
    code, result, _ = solve_as_json(monkeypatch, capsys, shop, flag, expression, "--backend", backend)
    assert (code, result["status"], result["objective"], result["bound"]) == (
        0,
        "optimal",
        *objective_and_bound(expression, best),
    )
    assert shop.read_text("utf-8") == TASK


def objective_and_bound(expression: str, best: int) -> tuple[int, int]:
    """Return the objective and bound of a proved optimum, in cents if it is an amount of money."""
    value = best * 100 if "spent" in expression or "price" in expression else best
    return value, value


@pytest.mark.parametrize(
    "own",
    ["minimize: heavy\n", "maximize: heavy\n", "minimize: >-\n  heavy\n  + 1\n", "maximize:   # mine\n  heavy\n"],
)
@pytest.mark.parametrize("position", ["end", "middle"])
def test_the_task_s_own_objective_is_replaced(
    shop: Path, monkeypatch: Any, capsys: Any, own: str, position: str
) -> None:
    text = TASK + own if position == "end" else TASK.replace("measures:", own + "measures:")
    shop.write_text(text, "utf-8")
    assert planspec.load(shop).objective is not None
    for flag, best in (("--minimize", 800), ("--maximize", 1300)):
        code, result, err = solve_as_json(monkeypatch, capsys, shop, flag, "spent")
        assert (code, result.get("objective")) == (0, best), err
    assert shop.read_text("utf-8") == text


def test_the_objective_is_shown_in_its_unit(shop: Path, monkeypatch: Any, capsys: Any) -> None:
    _, _, err = run(monkeypatch, capsys, "solve", str(shop), "--minimize", "spent")
    assert "optimal, objective 8 EUR" in err or "optimal, objective 8.00 EUR" in err


@pytest.mark.parametrize(
    ("expression", "code", "under"),
    [
        ("spend", "PS2", "spend"),
        ("spent +", "PS1", None),
        ("bought", "PS3", "bought"),
        ("1 EUR + 2", "PS3", None),
        ("", "PS", None),
        ("two", "PS", "two"),
    ],
)
@pytest.mark.parametrize("flag", ["--minimize", "--maximize"])
def test_an_error_in_the_expression_exits_2_with_a_caret(
    shop: Path, monkeypatch: Any, capsys: Any, flag: str, expression: str, code: str, under: str | None
) -> None:
    left, out, err = run(monkeypatch, capsys, "solve", str(shop), flag, expression)
    assert (left, out) == (2, "")
    assert err.startswith(f"error[{code}")
    assert f"with {flag}" in err
    assert "^" in err
    if under:
        lines = err.splitlines()
        mark = next(n for n, line in enumerate(lines) if "^" in line)
        at = lines[mark].index("^")
        assert lines[mark - 1][at : at + lines[mark].count("^")] == under


def test_an_expression_cannot_add_other_sections(shop: Path, monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, "solve", str(shop), "--minimize", "spent\nmaximize: heavy")
    assert (code, "error[PS" in err) == (2, True)


def test_minimize_and_maximize_together_are_refused(shop: Path, monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "solve", str(shop), "--minimize", "spent", "--maximize", "heavy")
    assert (code, out) == (2, "")
    assert "only one of --minimize and --maximize can be given" in err


def test_each_turn_has_its_own_best_plan(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path = tmp_path / "talk.task.yaml"
    path.write_text(TALK, "utf-8")
    expression = "sum(v.place.price for v in visits)"
    best = {}
    for turn in (1, 2, 3):
        code, result, err = solve_as_json(monkeypatch, capsys, f"{path}@{turn}", "--maximize", expression)
        assert (code, result.get("status"), result.get("task")) == (0, "optimal", f"talk@{turn}"), err
        plans = planspec.load(f"{path}@{turn}", maximize=expression)
        assert (plans.turn, plans.objective is not None) == (turn, True)
        best[turn] = result["objective"]
    assert best[2] <= best[1]  # the second turn has a budget
    code, result, _ = solve_as_json(monkeypatch, capsys, path, "--maximize", expression)
    assert (result["task"], result["objective"]) == ("talk", best[3])


def test_the_cheapest_trip_equals_the_result_computed_by_hand(monkeypatch: Any, capsys: Any) -> None:
    code, result, _ = solve_as_json(monkeypatch, capsys, SMALL / "tasks" / "2.yaml", "--minimize", "total")
    assert (code, result["status"], result["objective"]) == (0, "optimal", 18100)
    verdict = planspec.verify(planspec.load(SMALL / "tasks" / "2.yaml"), {"plan": result["plan"]})
    assert verdict.status == "pass"


@pytest.mark.parametrize("wrong", ["totl", "total +", "hotel"])
def test_load_reports_errors_in_the_expression_of_an_objective(wrong: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        planspec.load(SMALL / "tasks" / "2.yaml", minimize=wrong)
    assert raised.value.diagnostics[0].code.startswith("PS")


def test_an_objective_given_as_an_option_replaces_all_objectives_in_the_text() -> None:
    for had in (
        "",
        "minimize: a\n",
        "maximize: >-\n  a\n\n  b\n",
        "minimize: a\nmaximize: b\n",
        "minimize:\n- a\n- b\n",
    ):
        for text in (
            f"id: x\n{had}scope: {{}}\n",
            f"{had}id: x\nscope: {{}}\n",
            f"id: x\nscope: {{}}\n{had}",
        ):
            result = with_objective(text, "minimize", "c\n  + 1")
            assert result == "id: x\nscope: {}\nminimize: c + 1\n", (had, result)
