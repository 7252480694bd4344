"""Results of solvers are stored beside the run. A search is repeated only if its result could improve."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.report import proofs
from planspec.report.proofs import Best, ProofEntry, Prover, answer_hash, store_proofs, stored_proofs
from planspec.report.record import ShownRepair
from tests.planspec.report.stroll import RIGHT, TASK, WRONG


def proof_entry(**more: object) -> ProofEntry:
    """Return a stored result of a solver, with changed fields."""
    fields: dict[str, object] = {
        "by": "0.1.0",
        "task": "t",
        "seconds": 5.0,
        "best": Best(status="infeasible"),
    }
    return ProofEntry.model_validate(fields | more)


@pytest.fixture(autouse=True)
def version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the version of planspec to 0.1.0."""
    monkeypatch.setattr(proofs, "_version", lambda: "0.1.0")


def test_stored_proofs_are_read_again(tmp_path: Path) -> None:
    mended = proof_entry(best=None, answer="a", repair=ShownRepair(status="repaired", proved=True))
    store_proofs(tmp_path, [proof_entry(), mended])
    assert stored_proofs([tmp_path], 5.0) == {("t", None): proof_entry(), ("t", "a"): mended}


@pytest.mark.parametrize(
    "entry",
    [
        proof_entry(best=Best(status="unknown", told="late")),
        proof_entry(best=Best(status="feasible", tables={})),
        proof_entry(best=None, answer="a", repair=ShownRepair(status="unknown")),
        proof_entry(best=None, answer="a", repair=ShownRepair(status="repaired", proved=False)),
    ],
)
def test_undecided_searches_are_repeated_only_with_a_longer_limit(entry: ProofEntry, tmp_path: Path) -> None:
    store_proofs(tmp_path, [entry])
    assert len(stored_proofs([tmp_path], 5.0)) == 1
    assert len(stored_proofs([tmp_path], 5.1)) == 0


def test_stored_results_of_another_planspec_version_are_not_used(tmp_path: Path) -> None:
    store_proofs(tmp_path, [proof_entry(by="0.0.9")])
    assert stored_proofs([tmp_path], 5.0) == {}


def test_an_incomplete_line_is_ignored(tmp_path: Path) -> None:
    store_proofs(tmp_path, [proof_entry()])
    with (tmp_path / proofs.FILE).open("ab") as file:
        file.write(b'{"proof": "proof/1", "by": "0.1.')
    assert list(stored_proofs([tmp_path], 5.0)) == [("t", None)]


def test_in_an_unwritable_folder_proofs_are_not_stored_and_no_error_is_raised(tmp_path: Path) -> None:
    store_proofs(tmp_path / "not there", [proof_entry()])
    assert stored_proofs([tmp_path / "not there"], 5.0) == {}


def test_the_hash_of_an_answer_does_not_depend_on_the_order_of_its_fields() -> None:
    assert answer_hash({"a": 1, "b": 2}) == answer_hash({"b": 2, "a": 1})
    assert answer_hash({"a": 1}) != answer_hash({"a": 2})
    assert answer_hash("\ud83d") != answer_hash("\ud83c")


@pytest.fixture
def prover(tmp_path: Path) -> Callable[[str], Prover]:
    """Return a function that returns the prover of a task, which stores its results in a folder."""

    def make_prover(text: str) -> Prover:
        path = tmp_path / "stroll.task.yaml"
        path.write_text(text, "utf-8")
        return Prover(str(path), Judge(load(path)), "sha", 20.0)

    return make_prover


def test_the_best_plan_is_proved_and_stored_as_tables(prover: Callable[[str], Prover]) -> None:
    best_plan = prover(TASK.format(id="stroll")).best().best
    assert best_plan is not None
    assert best_plan.status == "optimal"
    assert best_plan.tables is not None
    assert best_plan.tables["lodging"] == {"hotel": "inn"}


def test_a_task_without_a_plan_has_no_oracle(prover: Callable[[str], Prover]) -> None:
    text = TASK.format(id="stroll").replace('lodging.hotel.id == "inn"', "false")
    assert prover(text).best().best == Best(status="infeasible")


def test_a_repair_lists_the_changes_that_lead_to_the_nearest_plan(prover: Callable[[str], Prover]) -> None:
    task_prover = prover(TASK.format(id="stroll"))
    plan = task_prover.judge.read(WRONG)
    assert plan is not None
    repair = task_prover.repair(plan, "answer").repair
    assert repair is not None
    assert (repair.status, repair.proved) == ("repaired", True)
    assert [(edit.place, edit.said) for edit in repair.edits] == [("visits[mill].end", "10:30 \u2192 10:00")]


def test_a_search_that_exceeds_its_limit_is_unknown(
    prover: Callable[[str], Prover], monkeypatch: pytest.MonkeyPatch
) -> None:
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions import repair as search

    monkeypatch.setattr(search, "repair", lambda *_, **__: search.Repair(Status.UNKNOWN))
    task_prover = prover(TASK.format(id="stroll"))
    plan = task_prover.judge.read(RIGHT)
    assert plan is not None
    found = task_prover.repair(plan, "answer").repair
    assert found == ShownRepair(status="unknown", told="nothing was found in 20 s")
