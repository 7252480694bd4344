"""The report on robustness compares two runs of an agent task by task: on a noisy corpus and on a clean one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from planspec.families.veritrip.base_size import COUNTRIES
from planspec.families.veritrip.corpus import load
from planspec.families.veritrip.corpus.trust import StatedFacts, travel_days
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.generating import SuiteSize, generate
from planspec.suite_writing.writing import suite_text
from tests.paths import ROOT
from tests.planspec.commands.test_command_line import run

pytestmark = pytest.mark.slow

SHIPPED = ROOT / "tasks" / "veritrip"
TASKS = ("veritrip-017", "veritrip-018", "veritrip-033")


def generate_suite(folder: Path, *, clean: bool) -> Path:
    """Generate a suite folder with some of the shipped tasks."""
    generate(folder, SuiteSize(images=0, queries=0, clean=clean))
    lines = {json.loads(line)["id"]: line for line in (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines()}
    (folder / "queries.jsonl").write_text("".join(f"{lines[task]}\n" for task in TASKS), "utf-8")
    for task in TASKS:
        shutil.copy(SHIPPED / "tasks" / f"{task}.yaml", folder / "tasks")
    text = suite_text("some", "veritrip", "'Some'", [f"tasks/{task}.yaml" for task in TASKS], "veritrip", "feasible")
    (folder / "suite.yaml").write_text(text, "utf-8")
    return folder


def write_misled_answers(folder: Path, name: str) -> Path:
    """Write wrong answers: the certified plans, but with the prices of tickets and rooms from the newest documents."""
    facts = StatedFacts.of(load(folder / "corpus"), travel_days(fact_bases(0)["usa"]))

    def newest_value(subject: str, city: str, field: str, fallback: Any) -> Any:
        statements = facts.by_fact.get((subject, city, field))
        return int(facts.value_of_newest(statements) or fallback) if statements else fallback

    lines = []
    for task in TASKS:
        answer = json.loads((SHIPPED / "tasks" / "certificates" / f"{task}.json").read_text("utf-8"))["witness"]
        query = next(
            q for q in map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines()) if q["id"] == task
        )
        tables = answer["Final Result"]
        for row in tables["itineraryTable"]:
            if row["active_type"] == "attraction":
                row["price_per_person"] = newest_value(
                    row["name"], query["target_city"], "ticket", row["price_per_person"]
                )
        for row in tables["accommodationTable"]:
            row["price_per_night"] = newest_value(
                row["name"], row["city"], f"room:{row['room_type']}", row["price_per_night"]
            )
        lines.append(json.dumps({"task": task, "plan": answer}))
    path = folder.parent / f"{name}.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


@pytest.mark.thorough
def test_the_report_compares_every_metric_between_noisy_and_clean_with_its_interval(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    assert set(COUNTRIES) == {"china", "usa"}
    for name, clean in (("noisy", False), ("clean", True)):
        folder = generate_suite(tmp_path / name, clean=clean)
        shutil.copy(write_misled_answers(folder, name), tmp_path / "answers.jsonl")
        setting = "text-clean" if clean else "text"
        words = (
            "run",
            str(folder / "suite.yaml"),
            "--agent",
            f"replay:file={tmp_path / 'answers.jsonl'}",
            "--setting",
            setting,
        )
        code, _, err = run(monkeypatch, capsys, *words, "--out", str(tmp_path / f"{name}-run"))
        assert code == 0, err
    arguments = (
        "report",
        str(tmp_path / "clean-run"),
        str(tmp_path / "noisy-run"),
        "--no-proofs",
        "--no-anchors",
        "-o",
        str(tmp_path / "r.html"),
    )
    code, out, err = run(monkeypatch, capsys, *arguments, "--format", "json")
    assert code == 0, err
    (pair,) = json.loads(out)["comparisons"]
    assert (pair["tasks"], pair["changed"]) == (len(TASKS), [])
    assert (pair["first"]["setting"], pair["second"]["setting"]) == ("text-clean", "text")
    by = {one["metric"]: one for one in pair["differences"]}
    lost = by["factual_reliability"]
    assert lost["first"] == 1
    assert lost["difference"] < 0
    assert lost["low"] <= lost["difference"] <= lost["high"]
    assert by["delivery_rate"]["difference"] == 0
    code, out, _ = run(monkeypatch, capsys, *arguments)
    assert code == 0
    assert f"text less text-clean, over {len(TASKS)} tasks, with paired intervals of 95 %:" in out
    row = next(line for line in out.splitlines() if line.strip().startswith("factual_reliability"))
    assert row.split()[1] == "1.0000"
    assert row.split()[3].startswith("-0.")
    assert "[-0." in row
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "Between settings" in page
    assert "what noise costs" in page
