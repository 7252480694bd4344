"""`why`, `repair`, `tighten`, `difficulty`, `check --deep` and certificates on the command line."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from planspec.api.outputs.explanations import DifficultyOutput, TightenOutput, WhyOutput
from planspec.commands.console import CommandInterrupt
from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends.outcome import Status
from planspec.solvers.questions.budget import TimeBudget
from tests.back_ends import SOLVERS
from tests.planspec.commands.test_command_line import GOOD, TINY, folder, run

__all__ = ["folder"]


LINES = """\
planspec: task/1
id: loose
query: Two calls, one after the other, each when a line is free.
types: {Call: anna | bert}
removable: [Line]
tables:
  Line:
    columns: {at: key time}
    rows: [{at: 09:00}, {at: 09:15}, {at: 09:30}, {at: 09:45}]
plan: {calls: {who: key Call, start: time, end: time}}
scope: {calls: [{for: c in Call, who: c, start: 09:00..09:45 step 15min, end: 09:30..10:15 step 15min}]}
constraints:
  line:
    hard: all(Line[c.start].at == c.start for c in calls)
  length: {hard: all(c.end - c.start >= 30min for c in calls)}
  order:
    hard: calls[anna].end <= calls[bert].start
unique: [calls.start]
"""


@pytest.fixture
def folder_with_infeasible_task(folder: Path) -> Path:
    """Write a second task, which has no plan: its calls must end before the second one can begin. Return the
    folder.
    """
    text = TINY.replace("id: tiny", "id: tight").replace("  early:\n    soft", "  early:\n    hard")
    (folder / "tight.task.yaml").write_text(text)
    return folder


@pytest.mark.usefixtures("folder_with_infeasible_task")
class TestWhy:
    def test_a_conflict_is_explained_and_exits_0(self, monkeypatch: Any, capsys: Any) -> None:
        code, out, _ = run(monkeypatch, capsys, "why", "tight", "--all", "--format", "json")
        output = WhyOutput.model_validate_json(out)
        assert code == 0
        assert (output.status, output.complete) == ("infeasible", True)
        # the first time of the scope is part of the conflict: an earlier start would solve it
        assert ["length", "order", "early", "scope:calls.start"] in output.mus
        assert ["length"] in [r.drop for r in output.relaxations]
        assert {r.weight for r in output.relaxations} == {1}

    def test_without_bounds_only_rules_conflict(self, monkeypatch: Any, capsys: Any) -> None:
        _, out, _ = run(monkeypatch, capsys, "why", "tight", "--no-bounds", "--all", "--format", "json")
        assert json.loads(out)["mus"] == [["length", "order", "early"]]

    def test_the_text_has_each_rule_with_its_words_and_place(self, monkeypatch: Any, capsys: Any) -> None:
        _, out, err = run(monkeypatch, capsys, "why", "tight", "--no-bounds")
        assert "these 3 cannot all hold, and any 2 of them can" in out
        assert "order  tight.task.yaml:10\n              calls[anna].end <= calls[bert].start\n" in out
        assert "There is no other conflict." in out
        assert "  without length\n  without order (missed by 30min)\n" in out
        assert "  without early (10:00 would do, not 09:45)\n" in out
        assert "questions" in err

    def test_conflicts_have_the_authors_messages_and_relaxations_have_amounts(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        text = (folder_with_infeasible_task / "tight.task.yaml").read_text().replace("id: tight", "id: told")
        text = text.replace("  order:\n", '  order:\n    says: "{number} calls are made one after the other"\n')
        text = text.replace(
            "length: {hard: all(c.end - c.start == 30min for c in calls)}",
            "length:\n    background: true\n    hard: all(c.end - c.start == 30min for c in calls)",
        )
        text = text.replace("constraints:", "define: {number: 1 + 1}\nconstraints:")
        (folder_with_infeasible_task / "told.task.yaml").write_text(text)
        _, out, _ = run(monkeypatch, capsys, "why", "told", "--no-bounds")
        assert "order  told.task.yaml" in out
        assert "\n              2 calls are made one after the other\n" in out
        assert "length" not in out
        assert "  without order (missed by 30min)\n" in out

    def test_a_bound_shows_the_needed_amount(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        text = (folder_with_infeasible_task / "tight.task.yaml").read_text().replace("id: tight", "id: wide")
        text = text.replace("end: 09:00..10:00", "end: 09:00..09:30").replace(
            "    hard: calls[bert].end <= 09:45", "    soft: calls[bert].end <= 09:45"
        )
        (folder_with_infeasible_task / "wide.task.yaml").write_text(text)
        _, out, _ = run(monkeypatch, capsys, "why", "wide")
        assert "  without scope:calls.end (30min further)\n" in out
        _, out, _ = run(monkeypatch, capsys, "why", "wide", "--format", "json")
        (way,) = [r for r in json.loads(out)["relaxations"] if r["drop"] == ["scope:calls.end"]]
        assert [(a["by"], a["unit"], a["proved"], a["stated"]) for a in way["amounts"]] == [(30, "min", True, None)]

    def test_a_comparison_beside_another_condition_shows_the_amount(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        text = (folder_with_infeasible_task / "tight.task.yaml").read_text().replace("id: tight", "id: both")
        text = text.replace("<= 09:45", "<= 09:45 and calls[anna].start != 10:00")
        (folder_with_infeasible_task / "both.task.yaml").write_text(text)
        _, out, _ = run(monkeypatch, capsys, "why", "both", "--no-bounds", "--all")
        assert "  without early (10:00 would do, not 09:45)\n" in out

    def test_a_suite_is_a_list_and_a_task_an_object(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        (folder_with_infeasible_task / "few.suite.yaml").write_text("planspec: suite/1\nid: few\ntasks: [tight]\n")
        code, out, _ = run(monkeypatch, capsys, "why", "few", "--no-bounds", "--format", "json")
        (one,) = json.loads(out)
        assert (code, one["task"]) == (0, "tight")
        assert set(one["members"]) == {"length", "order", "early"}
        assert one["members"]["order"]["text"] == "calls[anna].end <= calls[bert].start"
        code, out, _ = run(monkeypatch, capsys, "why", "tight", "tiny", "--no-bounds", "--format", "json")
        assert (code, [entry["status"] for entry in json.loads(out)]) == (1, ["infeasible", "feasible"])

    @pytest.mark.parametrize("backend", SOLVERS)
    def test_why_exits_1_for_a_feasible_task(self, monkeypatch: Any, capsys: Any, backend: str) -> None:
        code, out, _ = run(monkeypatch, capsys, "why", "tiny", "--backend", backend)
        assert (code, out) == (1, "tiny: feasible\n")

    def test_a_time_out_is_unknown(self, monkeypatch: Any, capsys: Any) -> None:
        monkeypatch.setattr(TimeBudget, "left", 0.0)
        code, out, _ = run(monkeypatch, capsys, "why", "tight", "--format", "json")
        output = json.loads(out)
        assert (code, output["mus"], output["complete"], output["relaxations"]) == (3, [], False, [])


@pytest.mark.usefixtures("folder")
class TestRepair:
    def test_a_repair_has_edits_and_the_repaired_answer(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        late = {"calls": [GOOD["calls"][0], {"who": "bert", "start": "09:00", "end": "09:30"}]}
        (folder / "bad.json").write_text(json.dumps({"task": "tiny", "plan": late}))
        code, out, _ = run(monkeypatch, capsys, "repair", "bad.json", "-o", "new.json", "--format", "json")
        output = json.loads(out)
        assert (code, output["status"], output["proved_smallest"]) == (0, "repaired", True)
        assert output["edits"] == [
            {"table": "calls", "key": "bert", "field": "start", "from": "09:00", "to": "09:30"},
            {"table": "calls", "key": "bert", "field": "end", "from": "09:30", "to": "10:00"},
        ]
        assert json.loads((folder / "new.json").read_text()) == {"task": "tiny", "plan": GOOD}
        assert run(monkeypatch, capsys, "verify", "new.json")[0] == 0

    def test_a_repair_keeps_correct_rows(self, monkeypatch: Any, capsys: Any) -> None:
        code, out, _ = run(monkeypatch, capsys, "repair", "good.json", "--format", "json")
        assert (code, json.loads(out)["status"], json.loads(out)["edits"]) == (0, "already-valid", [])

    @pytest.mark.parametrize(
        ("plan", "edits"),
        [
            ({"calls": []}, {("anna", None), ("bert", None)}),
            (
                {"calls": [*GOOD["calls"], {"who": "bert", "start": "09:00", "end": "09:15"}]},
                {("bert", None)},
            ),
            (
                {"calls": [GOOD["calls"][0], {"who": "bert", "start": "soon", "end": "10:00"}]},
                {("bert", "start")},
            ),
            (
                {"calls": [GOOD["calls"][0], {"who": "carl", "start": "09:30", "end": "10:00"}]},
                {("bert", "who")},
            ),
            ([1, 2], {("anna", None), ("bert", None)}),
        ],
        ids=["missing", "twice", "unreadable", "unknown", "undelivered"],
    )
    def test_answers_of_every_shape_are_repaired(
        self, folder: Path, monkeypatch: Any, capsys: Any, plan: Any, edits: Any
    ) -> None:
        (folder / "bad.json").write_text(json.dumps(plan))
        code, out, _ = run(monkeypatch, capsys, "repair", "bad.json", "--task", "tiny", "--format", "json")
        output = json.loads(out)
        assert (code, output["status"], output["proved_smallest"]) == (0, "repaired", True)
        assert {(e["key"], e["field"]) for e in output["edits"]} == edits
        (folder / "again.json").write_text(json.dumps(output["plan"]))
        assert run(monkeypatch, capsys, "verify", "again.json", "--task", "tiny")[0] == 0

    def test_a_repair_keeps_a_correct_value_outside_the_scope(
        self, folder: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        odd = [
            {"who": "anna", "start": "09:07", "end": "09:37"},
            {"who": "bert", "start": "09:41", "end": "10:15"},
        ]
        (folder / "odd.json").write_text(json.dumps({"calls": odd}))
        _, out, _ = run(monkeypatch, capsys, "repair", "odd.json", "--task", "tiny", "--format", "json")
        assert json.loads(out)["edits"] == [
            {"table": "calls", "key": "bert", "field": "start", "from": "09:41", "to": "09:45"}
        ]

    def test_an_infeasible_task_exits_1(self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any) -> None:
        code, out, _ = run(monkeypatch, capsys, "repair", "good.json", "--task", "tight", "--format", "json")
        assert (code, json.loads(out)["status"], json.loads(out)["plan"]) == (1, "infeasible", None)

    def test_a_time_out_is_unknown(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        monkeypatch.setattr(TimeBudget, "left", 0.0)
        (folder / "bad.json").write_text('{"calls": []}')
        code, out, _ = run(
            monkeypatch,
            capsys,
            "repair",
            "bad.json",
            "--task",
            "tiny",
            "--timeout",
            "0.001",
            "--format",
            "json",
        )
        assert (code, json.loads(out)["status"]) == (3, "unknown")

    def test_verify_can_repair_an_answer(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        (folder / "bad.json").write_text('{"calls": []}')
        code, out, _ = run(monkeypatch, capsys, "verify", "bad.json", "--task", "tiny", "--repair")
        assert code == 1
        assert "tiny: repaired, 2 edits, proved smallest" in out
        _, out, _ = run(monkeypatch, capsys, "verify", "bad.json", "--task", "tiny", "--repair", "--format", "json")
        assert json.loads(out)["repair"]["status"] == "repaired"


@pytest.mark.usefixtures("folder")
class TestOtherCommands:
    def test_tighten_writes_a_task_that_is_unique(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        (folder / "loose.task.yaml").write_text(LINES)
        assert run(monkeypatch, capsys, "validate", "loose")[0] == 1
        code, out, err = run(
            monkeypatch,
            capsys,
            "tighten",
            "loose",
            "--keep",
            "good.json",
            "-o",
            "made.task.yaml",
            "--format",
            "json",
        )
        output = TightenOutput.model_validate_json(out)
        assert (code, output.status, output.proved_smallest) == (0, "tightened", True)
        assert [row.row for row in output.removed] == [{"at": "09:45"}]
        assert "written to made.task.yaml" in err
        assert run(monkeypatch, capsys, "validate", "made")[0] == 0
        code, _, err = run(monkeypatch, capsys, "tighten", "tiny", "--keep", "good.json", "-o", "x.task.yaml")
        assert (code, "no row may be removed" in err) == (2, True)

    def test_difficulty_is_a_list_with_an_entry_for_each_task(self, monkeypatch: Any, capsys: Any) -> None:
        for name in ("tiny", "."):
            code, out, _ = run(monkeypatch, capsys, "difficulty", name, "--format", "json")
            (entry,) = TypeAdapter(list[DifficultyOutput]).validate_json(out)
            assert entry.solutions is not None
            assert (code, entry.solutions.count, entry.solutions.exact) == (0, 1, True)
            assert "cpsat" in entry.solutions.by == entry.by
            assert (entry.hard, entry.soft, entry.total, entry.anchors) == (2, 1, 3, 0)
        _, out, _ = run(monkeypatch, capsys, "difficulty", "tiny")
        assert "plans        1 (cpsat" in out

    def test_check_deep_finds_rules_without_effect(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        text = TINY.replace("  order:\n", "  always:\n    hard: calls[anna].start >= 00:00\n  order:\n")
        (folder / "idle.task.yaml").write_text(text.replace("id: tiny", "id: idle"))
        assert run(monkeypatch, capsys, "check", "idle.task.yaml", "--strict")[0] == 0
        code, out, _ = run(monkeypatch, capsys, "check", "idle.task.yaml", "--strict", "--deep")
        assert (code, "PS421" in out) == (2, True)
        monkeypatch.setattr(TimeBudget, "left", 0.0)
        code, _, err = run(monkeypatch, capsys, "check", "tiny.task.yaml", "--deep")
        assert (code, err) == (3, "no mistakes found\ntiny: not everything was decided in time\n")

    def test_certificates_are_written_and_checked(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        code, out, _ = run(monkeypatch, capsys, "validate", "tiny", "--check")
        assert (code, "certificate missing" in out) == (1, True)
        assert run(monkeypatch, capsys, "validate", "tiny", "--certify")[0] == 0
        code, out, _ = run(monkeypatch, capsys, "validate", "tiny", "--check", "--reprove", "--format", "json")
        claims = ["unique within the scope, by cpsat and smt"]
        assert (code, json.loads(out)) == (
            0,
            [
                {
                    "task": "tiny",
                    "reading": None,
                    "status": "valid",
                    "as_expected": True,
                    "reasons": [],
                    "notes": [],
                    "claims": claims,
                    "proofs": [],
                }
            ],
        )
        (folder / "tiny.task.yaml").write_text(TINY.replace("query:", "title: New\nquery:") + "# changed\n")
        assert run(monkeypatch, capsys, "validate", "tiny", "--check")[0] == 0
        (folder / "tiny.task.yaml").write_text(TINY.replace("== 30min", "<= 30min"))
        code, out, _ = run(monkeypatch, capsys, "validate", "tiny", "--check", "--format", "json")
        assert (code, json.loads(out)[0]["status"]) == (1, "stale")
        assert run(monkeypatch, capsys, "validate", "tiny", "--check", "--certify")[0] == 2
        assert run(monkeypatch, capsys, "validate", "tiny", "--reprove")[0] == 2

    def test_a_second_plan_is_shown_by_the_fields_that_differ(
        self, folder: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        text = (
            TINY.replace("step 30min", "step 15min")
            .replace("id: tiny", "id: loose\nexpects: unique")
            .replace("== 30min", "<= 30min")
        )
        (folder / "loose.task.yaml").write_text(text)
        code, out, _ = run(monkeypatch, capsys, "validate", "loose")
        assert (code, "\n  free: calls[" in out) == (1, True)


class TestCtrlC:
    """On Ctrl-C, the results so far are printed, and the command exits with 130."""

    def test_why_prints_the_conflicts_so_far(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        from planspec.solvers.questions import conflicts as why

        def interrupted_search(ground: Any, on_progress: Any, **_: Any) -> Any:
            instance = ground.instances[0]
            on_progress(why.Conflict(Status.INFEASIBLE, ((why.Member("length", ground.task.span, instance),),)))
            raise CommandInterrupt

        monkeypatch.setattr(why, "why", interrupted_search)
        code, out, err = run(monkeypatch, capsys, "why", "tight", "--format", "json")
        assert (code, json.loads(out)["mus"], json.loads(out)["complete"]) == (130, [["length"]], False)
        assert err == "interrupted\n"

    def test_why_prints_the_core_before_a_conflict_is_found(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        """As after a timeout, the output says that there is no plan because of some of the listed rules."""
        from planspec.solvers.questions import conflicts as why

        def press_ctrl_c(_: Any) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            Deadline(60.0).check()

        monkeypatch.setattr(why._ConflictSearch, "one_conflict", press_ctrl_c)
        code, out, err = run(monkeypatch, capsys, "why", "tight")
        assert (code, "tight: infeasible" in out) == (130, True)
        assert err.startswith("interrupted: these are the results so far\n")

    def test_repair_prints_the_nearest_plan_so_far(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        from planspec.solvers.questions import repair

        whole = repair.repair

        def interrupted_search(ground: Any, answer: Any, **options: Any) -> Any:
            options["on_progress"](whole(ground, answer))
            raise CommandInterrupt

        (folder / "bad.json").write_text('{"calls": []}')
        monkeypatch.setattr(repair, "repair", interrupted_search)
        code, out, _ = run(monkeypatch, capsys, "repair", "bad.json", "--task", "tiny")
        assert code == 130
        assert "calls[anna]  added" in out

    def test_tour_prints_the_best_tour_so_far(self, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
        from planspec.solvers import tour

        def interrupted_search(_: Any, on_progress: Any, **__: Any) -> Any:
            on_progress(tour.Tour(2, (0, 1), 20, 18, "feasible", "dfj", 1.0))
            raise CommandInterrupt

        (tmp_path / "two.csv").write_text("lat,lon\n1,1\n1,2\n")
        monkeypatch.setattr(tour, "shortest", interrupted_search)
        code, out, _ = run(monkeypatch, capsys, "tour", str(tmp_path / "two.csv"))
        assert (code, out.splitlines()[0]) == (130, "feasible: 2 nodes, length 20, bound 18, gap 10.00 %")

    def test_nothing_is_printed_before_there_is_a_result(
        self, folder_with_infeasible_task: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        from planspec.solvers.questions import conflicts as why

        def interrupted_search(*_: Any, **__: Any) -> Any:
            raise CommandInterrupt

        monkeypatch.setattr(why, "why", interrupted_search)
        assert run(monkeypatch, capsys, "why", "tight") == (130, "", "interrupted\n")
