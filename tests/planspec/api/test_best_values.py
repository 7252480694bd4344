"""The optimality gap (distance from the best plan) in verdicts, certificates and scores, and as a condition for passing."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api import certificates
from planspec.api.best_values import BestValue, BestValues, with_best, with_max_gap
from planspec.api.judging import Judge
from planspec.errors import UnsuitableTaskError
from planspec.verifiers.meaning.objectives import is_optimal
from tests.in_process import attempts_in_process
from tests.planspec.api.test_best_claims import run

TASK = """planspec: task/1
id: trip
query: The cheapest trip.
currency: EUR
types: {Mode: bus | train | taxi}
tables:
  Fare:
    columns: {mode: key Mode, price: money, time: duration}
    rows:
      - {mode: bus, price: 8.00 EUR, time: 2h}
      - {mode: train, price: 10.00 EUR, time: 1h}
      - {mode: taxi, price: 40.00 EUR, time: 30min}
plan: {ride: {one: true, mode: Mode}}
scope: {ride: {mode: Mode}}
define:
  spent: Fare[ride.mode].price
constraints:
  fast:
    hard: Fare[ride.mode].time <= 1h
"""

MINUTES = "minimize:\n  - spent\n  - minutes: Fare[ride.mode].time"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_trip(folder: Path, more: str = "minimize: spent") -> Path:
    """Write the task with further sections, by default an objective, and return its path."""
    path = folder / "trip.task.yaml"
    path.write_text(f"{TASK}{more}\n")
    return path


def answer(mode: str) -> dict[str, Any]:
    """Return an answer that travels by this mode of transport."""
    return {"ride": {"mode": mode}}


def test_a_verdict_has_the_value_of_each_objective(folder: Path) -> None:
    path = write_trip(folder, MINUTES + "\nmaximize: count(f for f in Fare if ride.mode != bus)")
    verdict = Judge(planspec.load(path)).answer(answer("taxi"))
    assert [(x.name, x.goal, x.value, x.unit, x.text) for x in verdict.objectives] == [
        ("spent", "minimize", 4000, "1/100 EUR", "spent 40.00 EUR"),
        ("minutes", "minimize", 30, "min", "minutes 30min"),
        (
            "count(f for f in Fare if ride.mode != bus)",
            "maximize",
            3,
            "1",
            "count(f for f in Fare if ride.mode != bus) 3",
        ),
    ]
    assert all(x.best is None and x.gap is None and x.by == () for x in verdict.objectives)
    unread = Judge(planspec.load(path)).answer("no plan")
    assert [x.value for x in unread.objectives] == [None, None, None]


@pytest.mark.parametrize("details", ["all", "violated", "reasons", "none"])
def test_every_verifier_computes_the_same_values(details: Any, folder: Path) -> None:
    judge = Judge(
        planspec.load(write_trip(folder, "minimize:\n  - spent\n  - n: count(f for f in Fare if f.mode == ride.mode)"))
    )
    values = [
        [x.value for x in judge.answer(answer(mode), details=details).objectives] for mode in ("bus", "taxi", "bus")
    ]
    assert values == [[800, 1], [4000, 1], [800, 1]]


def test_a_task_without_an_objective_has_that_of_its_library(folder: Path) -> None:
    (folder / "fares.library.yaml").write_text(
        "planspec: library/1\nid: fares\ntypes: {Mode: bus | train | taxi}\n"
        "tables: {Fare: {mode: key Mode, price: money, time: duration}}\nplan: {ride: {one: true, mode: Mode}}\n"
        "define:\n  spent: Fare[ride.mode].price\nminimize: {costs: spent}\nmax_gap: 1.00 EUR\n"
    )
    rows = "tables:\n  Fare:\n    rows:" + TASK.split("    rows:")[1].split("plan: ", maxsplit=1)[0]
    text = "planspec: task/1\nid: trip\nquery: The cheapest trip.\ncurrency: EUR\nuses: [fares]\n" + rows
    text += "scope: {ride: {mode: Mode}}\n"
    for own, names, gaps in (
        ("", ["costs"], [100]),
        ("maximize:\n  time: Fare[ride.mode].time\nmax_gap: 5 %\n", ["time"], [0.05]),
    ):
        (folder / "trip.task.yaml").write_text(text + own)
        loaded = planspec.load("trip.task.yaml")
        assert [x.name for x in loaded.objectives] == names
        assert [float(gap.amount) for gap in loaded.max_gaps] == gaps


def test_the_certificate_proves_the_best_plan_and_verdicts_show_the_distance(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_trip(folder)
    (folder / "taxi.json").write_text(json.dumps(answer("taxi")))
    assert run("verify", path, "taxi.json") == 0
    assert "  = spent 40.00 EUR\n" in capsys.readouterr().out
    assert run("validate", path, "--certify") == 0
    assert "  best plan: spent 10.00 EUR, the best (proved within the scope: cpsat, " in capsys.readouterr().out
    claim = certificates.read(folder / "certificates" / "trip.json").optimum
    assert claim is not None
    assert (claim.status, [(x.name, x.value, x.bound) for x in claim.objectives]) == (
        "optimal",
        [("spent", 1000, 1000)],
    )
    assert run("verify", path, "taxi.json") == 0
    assert "): +30.00 EUR, +300.0 %\n" in capsys.readouterr().out
    assert run("verify", path, "taxi.json", "--format", "json") == 0
    (value,) = json.loads(capsys.readouterr().out)["objectives"]
    assert (value["value"], value["best"], value["bound"], value["gap"], value["scope"]) == (
        4000,
        1000,
        1000,
        3000,
        "within",
    )
    assert run("validate", path, "--check") == 0
    wrong = (folder / "certificates" / "trip.json").read_text().replace('"value": 1000', '"value": 900')
    (folder / "certificates" / "trip.json").write_text(wrong)
    capsys.readouterr()
    assert run("validate", path, "--check") == 1
    assert "the plan does not have the values that it says" in capsys.readouterr().out


def test_the_best_plan_can_be_found_without_a_certificate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trip(folder, "maximize: spent")
    (folder / "train.json").write_text(json.dumps(answer("train")))
    assert run("verify", path, "train.json", "--best") == 0
    assert "  = spent 10.00 EUR, best 40.00 EUR (proved within the scope: cpsat" in (out := capsys.readouterr().out)
    assert "): -30.00 EUR, -75.0 %\n" in out


def test_a_reference_that_is_not_the_best_plan_is_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trip(folder, "minimize: spent\nreference: {ride: {mode: taxi}}")
    assert run("validate", path) == 0
    assert "  reference: spent 40.00 EUR, best 10.00 EUR (proved within the scope: cpsat" in capsys.readouterr().out


def test_objectives_after_one_that_differs_from_its_best_value_are_not_compared(folder: Path) -> None:
    path = write_trip(folder, MINUTES)
    judge = Judge(planspec.load(path))
    best_values = BestValues(0, (BestValue(1000, 1000), BestValue(60, 60)), ("cpsat",), "within")  # type: ignore[arg-type]
    taxi = with_best(judge.answer(answer("taxi")), judge.ground, best_values).objectives
    assert [x.gap for x in taxi] == [3000, None]
    train = with_best(judge.answer(answer("train")), judge.ground, best_values).objectives
    assert [x.gap for x in train] == [0, 0]
    bus = with_best(judge.answer(answer("bus")), judge.ground, best_values).objectives
    assert [x.gap for x in bus] == [-200, None]
    assert [is_optimal(x) for x in (taxi, train, bus)] == [False, True, True]
    assert bus[0].text.endswith(": better than the best within the scope")


@pytest.mark.parametrize(
    ("gap", "passing"),
    [("0", "train"), ("5 %", "train"), ("29.99 EUR", "train"), ("30.00 EUR", "taxi"), ("300%", "taxi")],
)
def test_with_a_maximum_gap_only_good_plans_pass(gap: str, passing: str, folder: Path) -> None:
    path = write_trip(folder, f"minimize: spent\nmax_gap: {gap}")
    judge = Judge(planspec.load(path))
    with pytest.raises(UnsuitableTaskError, match="--certify"):
        judge.answer(answer("train"))
    assert run("validate", path, "--certify") == 0
    judge = Judge(planspec.load(path))
    verdicts = {mode: judge.answer(answer(mode)) for mode in ("train", "taxi", "bus")}
    assert verdicts["train"].status == "pass"
    assert (verdicts["taxi"].status == "pass") is (passing == "taxi")
    finding = next(f for f in verdicts["taxi"].findings if f.constraint == "optimal")
    assert finding.status == ("satisfied" if passing == "taxi" else "violated")
    assert finding.unit == "1/100 EUR"
    assert verdicts["bus"].status == "fail"
    assert judge.answer("nothing").hard.total == verdicts["bus"].hard.total == 2


def test_a_reference_beyond_the_maximum_gap_is_not_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trip(folder, "minimize: spent\nmax_gap: 1 %\nreference: {ride: {mode: taxi}}")
    assert run("validate", path) == 1
    assert "the reference is NOT accepted" in (out := capsys.readouterr().out)
    assert "optimal" in out


def test_answers_are_not_judged_without_a_proof_of_the_best_plan(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_trip(folder, "minimize: spent\nmax_gap: 0")
    (folder / "train.json").write_text(json.dumps(answer("train")))
    (folder / "a.jsonl").write_text(json.dumps({"task": "trip", "plan": answer("train")}) + "\n")
    for words in (
        ["verify", path, "train.json"],
        ["run", path, "--agent", "oracle", "--out", "r"],
        ["score", "a.jsonl", "--suite", path],
    ):
        assert run(*words) == 2, words
        assert "`planspec validate --certify` writes one" in capsys.readouterr().err, words
    assert run("verify", path, "train.json", "--best") == 0


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ("max_gap: 0", "PS437", "`max_gap` has 1 gap, and the task no objectives"),
        ("minimize: spent\nmax_gap: []", "PS011", "`max_gap` is a gap or a list of them"),
        ("minimize: spent\nmax_gap:", "PS011", "`max_gap` is a gap or a list of them"),
        (
            "  optimal: {hard: ride.mode != bus}\nminimize: spent\nmax_gap: 0",
            "PS202",
            "with `max_gap` no constraint is called `optimal`",
        ),
        ("minimize: spent\nmax_gap: 10min", "PS016", "`10min` is no gap of `spent`"),
        ("minimize: spent\nmax_gap: -1.00 EUR", "PS016", "`-1.00 EUR` is no gap of `spent`"),
        ("minimize: [spent, spent]", "PS202", "two objectives are called `spent`"),
    ],
)
def test_mistakes_in_objectives_and_maximum_gaps_are_reported(more: str, code: str, message: str, folder: Path) -> None:
    (diagnostic,) = planspec.check(write_trip(folder, more))
    assert (diagnostic.code, diagnostic.message) == (code, message)


def test_a_query_that_does_not_ask_for_the_best_plan_is_reported(folder: Path) -> None:
    path = write_trip(folder, "minimize: spent\nmax_gap: 0")
    assert planspec.check(path) == ()
    for query in ("A trip", "A trip for 50 EUR at most", "At least one trip"):
        path.write_text(TASK.replace("The cheapest trip", query) + "minimize: spent\nmax_gap: 0\n")
        assert [x.code for x in planspec.check(path)] == ["PS438"]


def test_soft_constraints_rank_before_objectives(folder: Path) -> None:
    path = write_trip(folder, "minimize: spent").read_text()
    (folder / "trip.task.yaml").write_text(
        path.replace("constraints:", "constraints:\n  fun: {soft: ride.mode == taxi}")
    )
    judge = Judge(planspec.load("trip.task.yaml"))
    best_values = BestValues.of(planspec.solve("trip.task.yaml"))
    assert best_values is not None
    assert best_values.soft_weight == 1
    train = with_best(judge.answer(answer("train")), judge.ground, best_values)
    assert (train.objectives[0].gap, is_optimal(train.objectives)) == (None, False)
    assert with_max_gap(train, judge.ground, best_values).status == "fail" or not judge.task.max_gaps


def test_scores_have_the_share_of_optimal_answers_and_the_mean_gap(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_trip(folder)
    assert run("validate", path, "--certify") == 0
    for name in ("b", "c", "d"):
        (folder / f"{name}.task.yaml").write_text(path.read_text().replace("id: trip", f"id: {name}"))
        assert run("validate", folder / f"{name}.task.yaml", "--certify") == 0
    modes = {"trip": "train", "b": "taxi", "c": "bus"}
    lines = [json.dumps({"task": task, "plan": answer(mode)}) for task, mode in modes.items()]
    (folder / "answers.jsonl").write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    run("score", "answers.jsonl", "--suite", folder, "--format", "json")
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    assert (metrics["optimal_rate"], metrics["mean_gap"]) == (0.25, 1.5)


def test_nothing_shown_to_an_agent_reveals_the_best_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An agent sees the value of its own plan, which it can compute itself, but not the best value, its bound or
    the gap.
    """
    path = write_trip(folder, "minimize: spent\nexpects: feasible\nenvironment: {refusals: allowed}")
    path.write_text(path.read_text().replace("10.00 EUR", "12.34 EUR"))
    assert run("validate", path, "--certify") == 0
    assert "12.34" in capsys.readouterr().out
    environment = planspec.environment(path)
    seen = json.dumps([environment.messages, environment.schema, asdict(environment.observation)], default=str)
    assert run("tasks", "view", path) == 0
    seen += capsys.readouterr().out
    assert run("export", "rows", path, "--out", "rows.jsonl") == 0
    seen += (folder / "rows.jsonl").read_text()
    for secret in ("12.34", "1234", "feasible,", "expects", "optimal"):
        assert secret not in seen.replace("infeasible", ""), secret
    outcome = environment.submit(answer("taxi"))
    verdict = environment.verdict
    assert verdict is not None
    assert "12.34" not in json.dumps([outcome, asdict(verdict)], default=str)
    assert set(outcome["metrics"]) == {"pass_rate", "mean_hard", "mean_soft"}
    assert [(x.value, x.best, x.bound, x.gap) for x in verdict.objectives] == [(4000, None, None, None)]


def test_a_plan_without_a_value_exceeds_the_maximum_gap_and_a_refusal_has_no_gap(folder: Path) -> None:
    path = write_trip(folder, "minimize: spent\nmax_gap: 50 %\nenvironment: {refusals: allowed}")
    path.write_text(path.read_text().replace("mode: key Mode, price: money,", "mode: key Mode, price: money?,"))
    path.write_text(path.read_text().replace("price: 40.00 EUR", "price: none"))
    assert run("validate", path, "--certify") == 0
    judge = Judge(planspec.load(path))
    finding = next(f for f in judge.answer(answer("taxi")).findings if f.constraint == "optimal")
    assert (finding.status, finding.message, finding.margin) == ("violated", "the plan has no value of `spent`", None)
    refused = judge.answer({"infeasible": True})
    assert (refused.status, refused.hard.total) == ("fail", 2)
    assert [f.kind for f in refused.findings] == ["refusal"]


def test_the_margin_of_a_second_objective_has_its_own_unit(folder: Path) -> None:
    path = write_trip(folder, f"{MINUTES}\nmax_gap: [0, 10min]")
    judge = Judge(planspec.load(path))
    best_values = BestValues(0, (BestValue(Fraction(1000), None), BestValue(Fraction(40), None)), ("cpsat",), "within")
    verdict = with_max_gap(judge.decoded(answer("train")), judge.ground, best_values)
    finding = next(f for f in verdict.findings if f.constraint == "optimal")
    assert (finding.status, finding.margin, finding.unit) == ("violated", -10, "min")


def test_rows_of_a_run_have_the_distance_from_the_best(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trip(folder)
    assert run("validate", path, "--certify") == 0
    for agent in ('constant:text={"ride": {"mode": "taxi"}}', "lazy"):
        with attempts_in_process():
            assert run("run", path, "--agent", agent, "--out", "r") == 0
        assert run("export", "rows", "r", "--table", "attempts", "--out", "rows.jsonl") == 0
        (row,) = map(json.loads, (folder / "rows.jsonl").read_text().splitlines())
        columns = (row["objective"], row["best"], row["gap"], row["unit"])
        assert columns == (
            4000.0 if "taxi" in agent else None,
            1000.0,
            3000.0 if "taxi" in agent else None,
            "1/100 EUR",
        )
        shutil.rmtree(folder / "r")
    capsys.readouterr()


@pytest.mark.parametrize("order", ["uses: [fares]\nworld: town", "world: town"])
def test_the_objective_of_a_library_also_counts_with_a_world(order: str, folder: Path) -> None:
    (folder / "fares.library.yaml").write_text(
        "planspec: library/1\nid: fares\nplan: {ride: {one: true, n: int}}\nscope: {ride: {n: 1..3}}\nminimize: {n: ride.n}\n"
    )
    (folder / "town.world.yaml").write_text("planspec: world/1\nid: town\nuses: [fares]\n")
    (folder / "a.task.yaml").write_text(f"planspec: task/1\nid: a\nquery: The least.\n{order}\n")
    assert [x.name for x in planspec.load("a.task.yaml").objectives] == ["n"]


def test_a_plan_is_accepted_if_the_objective_has_no_value_on_any_plan(folder: Path) -> None:
    path = write_trip(folder, "minimize: spent\nmax_gap: 0")
    path.write_text(
        path.read_text().replace("price: money,", "price: money?,").replace("price: 10.00 EUR", "price: none")
    )
    path.write_text(
        path.read_text().replace("price: 40.00 EUR", "price: none").replace("price: 8.00 EUR", "price: none")
    )
    assert run("validate", path, "--certify") == 0
    assert Judge(planspec.load(path)).answer(answer("taxi")).status == "pass"


def test_if_neither_plan_has_a_value_the_next_objective_is_compared(folder: Path) -> None:
    path = write_trip(folder, MINUTES)
    path.write_text(path.read_text().replace("price: money,", "price: money?,"))
    path.write_text(path.read_text().replace("10.00 EUR", "none").replace("40.00 EUR", "none"))
    judge = Judge(planspec.load(path))
    best_values = BestValues(0, (BestValue(None, None), BestValue(Fraction(30), None)), ("cpsat",), "within")
    gaps = {}
    for mode in ("taxi", "train"):
        objectives = with_best(judge.answer(answer(mode)), judge.ground, best_values).objectives
        gaps[mode] = ([x.gap for x in objectives], is_optimal(objectives))
    assert gaps == {"taxi": ([None, 0], True), "train": ([None, 30], False)}
