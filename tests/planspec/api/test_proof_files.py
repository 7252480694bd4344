"""A proof file beside a certificate proves the certificate's claim, and is valid for this task only."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planspec import load
from planspec.api.certificate_check import check
from planspec.api.certificates import Certificate, certificate_path, certify, read, write
from planspec.api.certified_proofs import prove_claims
from planspec.api.judging import Judge
from planspec.api.optima import certify_optimum, check_optimum, read_optimum
from planspec.api.proof_files import reasons
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.proofs.obligation import NoOtherPlan
from planspec.solvers.questions.claims import validate_claims
from planspec.solvers.questions.prove import solve

TASK = """\
planspec: task/1
id: {id}
query: Anna and Bert are called one after the other, before {end}.
types: {{Person: anna | bert, Room: den | hall}}
tables:
  Line:
    columns: {{at: key time}}
    csv: lines.csv
plan: {{calls: {{who: key Person, start: time, room: Room}}}}
scope: {{calls: [{{for: p in Person, who: p, start: 09:00..09:45 step 15min, room: Room}}]}}
constraints:
  free-line:
    hard: all(Line[c.start].at == c.start for c in calls)
  order:
    hard: calls[anna].start < calls[bert].start
  done:
    hard: calls[bert].start + 30min <= {end}
  den:
    soft: all(c.room == den for c in calls)
unique: [calls.start]
unique_best: [calls.room]
"""


def write_task(folder: Path, id: str = "calls", end: str = "09:45") -> Path:
    path = folder / f"{id}.task.yaml"
    path.write_text(TASK.format(id=id, end=end), "utf-8")
    (folder / "lines.csv").write_text("at\n09:00\n09:15\n09:30\n", "utf-8")
    return path


def write_proofs(path: Path) -> Certificate:
    """Write a task's certificate with its proofs, and return it."""
    judge = Judge(load(path))
    limits = Limits(seconds=30)
    unproved = certify(judge, validate_claims(judge.ground, limits=limits), limits)
    certificate = prove_claims(judge, unproved, certificate_path(path, judge.task.id), limits)
    write(certificate, certificate_path(path, judge.task.id))
    return certificate


def status(path: Path) -> tuple[str, list[str]]:
    judge = Judge(load(path))
    result = check(judge, certificate_path(path, judge.task.id))
    return result.status, result.reasons


def test_each_claim_gets_a_proof_that_is_checked(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    certificate = write_proofs(path)
    assert certificate.unique.status == "unique"
    assert certificate.proof is not None and certificate.best is not None and certificate.best.proof is not None
    assert (certificate.proof.file, certificate.best.proof.file) == ("calls.lrat.gz", "calls.best.lrat.gz")
    result = check(Judge(load(path)), certificate_path(path, "calls"))
    assert (result.status, [proof.checked for proof in result.proofs], result.notes) == (
        "valid",
        [True, True],
        [],
    )
    assert all("a checked proof of" in claim for claim in result.claims)
    assert read(certificate_path(path, "calls")) == certificate


def test_a_valid_proof_is_kept_and_an_invalid_one_is_replaced(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    first = write_proofs(path)
    judge = Judge(load(path))
    file = certificate_path(path, "calls").with_name("calls.lrat.gz")
    before = file.stat().st_mtime_ns
    assert prove_claims(judge, first, certificate_path(path, "calls"), Limits(seconds=30)) == first
    assert file.stat().st_mtime_ns == before
    file.unlink()
    assert prove_claims(judge, first, certificate_path(path, "calls"), Limits(seconds=30)) == first
    assert file.exists()


def test_proofs_are_deleted_with_the_certificate_that_names_them(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    first = write_proofs(path)
    assert first.best is not None
    folder = tmp_path / "certificates"
    other = folder / "others.lrat.gz"
    other.write_bytes(b"")
    write(first.model_copy(update={"proof": None}), folder / "calls.json")
    assert {one.name for one in folder.glob("*.gz")} == {"calls.best.lrat.gz", other.name}
    best = first.best.model_copy(update={"proof": None})
    write(first.model_copy(update={"proof": None, "best": best}), folder / "calls.json")
    assert [one.name for one in folder.glob("*.gz")] == [other.name]


def test_a_task_without_a_plan_is_proved_to_have_none(tmp_path: Path) -> None:
    path = write_task(tmp_path, end="09:15")
    certificate = write_proofs(path)
    assert certificate.unique.status == "infeasible"
    assert status(path) == ("valid", [])


def test_an_absent_proof_is_a_note_and_not_an_error(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    write_proofs(path)
    certificate_path(path, "calls").with_name("calls.lrat.gz").unlink()
    result = check(Judge(load(path)), certificate_path(path, "calls"))
    assert (result.status, [proof.checked for proof in result.proofs]) == ("valid", [False, True])
    assert result.notes == ["the proof calls.lrat.gz is not here, and was not checked"]
    assert result.claims[0] == "unique within the scope, by cpsat and smt"


def edit_certificate(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    """Return a function that applies a change to the certificate in a folder."""

    def tamper(folder: Path) -> None:
        path = folder / "certificates" / "calls.json"
        certificate = json.loads(path.read_text("utf-8"))
        change(certificate)
        path.write_text(json.dumps(certificate), "utf-8")

    return tamper


def rewrite_proof(change: Callable[[list[str]], list[str]]) -> Callable[[Path], object]:
    """Return a function that applies a change to the lines of the proof in a folder."""

    def tamper(folder: Path) -> None:
        path = folder / "certificates" / "calls.lrat.gz"
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        path.write_bytes(gzip.compress("\n".join(change(lines)).encode()))

    return tamper


def replace_proof(data: bytes) -> Callable[[Path], object]:
    """Return a function that replaces the proof in a folder by these bytes."""
    return lambda folder: (folder / "certificates" / "calls.lrat.gz").write_bytes(data)


def truncate_proof(folder: Path) -> None:
    """Cut off the last bytes of the proof in a folder."""
    path = folder / "certificates" / "calls.lrat.gz"
    path.write_bytes(path.read_bytes()[:-20])


def use_proof_of_another_task(folder: Path) -> None:
    """Replace the proof in a folder by the proof of another task."""
    other = folder / "other"
    other.mkdir()
    path = write_task(other, "other", "09:15")
    write_proofs(path)
    proof = other / "certificates" / "other.lrat.gz"
    (folder / "certificates" / "calls.lrat.gz").write_bytes(proof.read_bytes())


def use_proof_of_the_other_claim(folder: Path) -> None:
    """Replace the proof in a folder by the proof of the claim about best plans."""
    best = folder / "certificates" / "calls.best.lrat.gz"
    (folder / "certificates" / "calls.lrat.gz").write_bytes(best.read_bytes())


CNF = "0" * 64
TAMPERINGS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "the task": (lambda folder: write_task(folder, end="10:00"), "stale", "has changed since"),
    "a table": (
        lambda folder: (folder / "lines.csv").write_text("at\n09:00\n09:15\n09:30\n09:45\n"),
        "stale",
        "has changed since",
    ),
    "the proof's end": (truncate_proof, "wrong", "calls.lrat.gz cannot be read: "),
    "the last step": (rewrite_proof(lambda lines: lines[:-1]), "wrong", "it ends before the empty clause"),
    "the first step": (
        rewrite_proof(lambda lines: lines[1:]),
        "wrong",
        "calls.lrat.gz is no proof of the claim: line ",
    ),
    "a hint": (
        rewrite_proof(lambda lines: [*lines[:-1], lines[-1].replace(" 0 ", " 0 7 ", 1)]),
        "wrong",
        "is no proof of the claim",
    ),
    "the steps' number": (
        edit_certificate(lambda certificate: certificate["proof"].update(steps=1_000_000)),
        "wrong",
        "and the certificate says 1,000,000",
    ),
    "the formula's hash": (
        edit_certificate(lambda certificate: certificate["proof"].update(cnf_sha256=CNF)),
        "wrong",
        "the formula of the claim differs from that recorded for calls.lrat.gz",
    ),
    "the map's hash": (
        edit_certificate(lambda certificate: certificate["proof"].update(map_sha256=CNF)),
        "wrong",
        "the map of the claim differs from that",
    ),
    "the number of clauses": (
        edit_certificate(lambda certificate: certificate["proof"].update(clauses=3)),
        "wrong",
        "the number of clauses of the claim differs from that",
    ),
    "the proof of another task": (use_proof_of_another_task, "wrong", "calls.lrat.gz is no proof of the claim"),
    "the proof of another claim": (use_proof_of_the_other_claim, "wrong", "calls.lrat.gz is no proof of the claim"),
    "the file's name": (
        edit_certificate(lambda certificate: certificate["proof"].update(file="../calls.lrat.gz")),
        "wrong",
        "is no certificate: proof.file",
    ),
    "the claim": (
        edit_certificate(lambda certificate: certificate["unique"].update(status="multiple")),
        "wrong",
        "`unique` says multiple",
    ),
    "the scope": (
        edit_certificate(lambda certificate: certificate["unique"].update(scope="beyond")),
        "wrong",
        "the formula of the claim",
    ),
    "the witness": (
        edit_certificate(lambda certificate: certificate["witness"]["calls"][1].update(start="09:30")),
        "wrong",
        "the witness does not satisfy the task",
    ),
    "no gzip": (replace_proof(b"1 0 1 0\n"), "wrong", "calls.lrat.gz cannot be read: "),
    "no text": (replace_proof(gzip.compress(b"\xff\xfe")), "wrong", "other characters than ASCII's"),
}


@pytest.mark.parametrize("change", TAMPERINGS)
def test_tampered_files_are_refused_with_a_reason(change: str, tmp_path: Path) -> None:
    tamper, expected, claim_text = TAMPERINGS[change]
    path = write_task(tmp_path)
    write_proofs(path)
    tamper(tmp_path)
    result, reasons = status(path)
    assert result == expected
    assert any(claim_text in reason for reason in reasons), reasons


def test_a_proof_is_unpacked_only_up_to_its_size_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_task(tmp_path)
    write_proofs(path)
    file = tmp_path / "certificates" / "calls.lrat.gz"
    file.write_bytes(gzip.compress(b" " * 100_000))
    monkeypatch.setattr("planspec.api.proof_files.PROOF_BYTES", 99_999)
    assert status(path) == ("wrong", ["calls.lrat.gz cannot be read: it is larger than 99,999 bytes"])


def test_a_certificate_without_proofs_fails_if_they_are_required(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    write_proofs(path)
    judge, file = Judge(load(path)), certificate_path(path, "calls")
    assert check(judge, file, proofs=True).status == "valid"
    file.with_name("calls.best.lrat.gz").unlink()
    result = check(judge, file, proofs=True)
    assert (result.status, result.reasons) == (
        "wrong",
        ["best: no proof was checked: calls.best.lrat.gz is not here"],
    )
    edit_certificate(lambda certificate: certificate.pop("proof"))(tmp_path)
    assert check(judge, file).status == "valid"
    assert check(judge, file, proofs=True).reasons == [
        "no proof was checked: it names none",
        "best: no proof was checked: calls.best.lrat.gz is not here",
    ]


def test_a_claim_is_explained_by_sufficient_constraints(tmp_path: Path) -> None:
    judge = Judge(load(write_task(tmp_path)))
    witness = validate_claims(judge.ground, limits=Limits(seconds=30)).witness
    result = reasons(judge.ground, NoOtherPlan(witness), Limits(seconds=30))
    assert set(result) <= {"free-line", "order", "done", "scope:calls.start"}
    assert {"order", "done"} <= set(result)


def test_a_limit_ends_the_search_for_a_proof(tmp_path: Path) -> None:
    judge = Judge(load(write_task(tmp_path)))
    with pytest.raises(LimitReachedError):
        reasons(judge.ground, NoOtherPlan(None, ()), Limits(seconds=1e-9))


def test_a_best_plan_is_described_with_its_values(tmp_path: Path) -> None:
    """The description has the soft weight, then the objective, with a mark if the objective is not the task's own."""
    path = write_task(tmp_path, end="10:00")
    for required, claim_text in (
        (None, "the best within the scope: soft weight 1/1, by a checked proof of "),
        (
            "calls[bert].start",
            "the best within the scope by an objective of the certificate's own: soft weight 1/1, then minimize calls[bert].start: 09:15, by",
        ),
    ):
        judge = Judge(load(path, minimize=required))
        plan = solve(judge.ground).plan
        assert plan is not None
        file = tmp_path / "best.json"
        certify_optimum(judge, plan, file, Limits(seconds=30), minimize=required, maximize=None)
        result = check_optimum(judge, read_optimum(file), file)
        assert (result.status, result.claims[0].startswith(claim_text)) == ("valid", True), result.claims


def test_a_certificate_of_a_best_plan_has_its_own_objective(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    judge = Judge(load(path))
    plan = solve(judge.ground).plan
    assert plan is not None
    file = tmp_path / "best.json"
    certify_optimum(judge, plan, file, Limits(seconds=30), minimize=None, maximize=None)
    certificate = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**certificate, "minimize": "1", "maximize": "1"}), "utf-8")
    with pytest.raises(ValueError, match="not both"):
        read_optimum(file)
    file.write_text(json.dumps({"calls": []}), "utf-8")
    with pytest.raises(ValueError, match="planspec: Field required"):
        read_optimum(file)


WITHOUT = """
import sys
missing = {"ortools", "z3", "pysat", "networkx"}
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
sys.argv = ["planspec", *sys.argv[1:]]
from planspec.cli import main
main()
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_no_solver_is_needed_to_check_certificates_best_plans_and_tours(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    write_proofs(path)
    points = tmp_path / "points.csv"
    points.write_text(
        "name,lat,lon\n" + "".join(f"p{i},{50 + i * i % 7 / 10},{8 + i * 3 % 11 / 10}\n" for i in range(9)),
        "utf-8",
    )
    for words in (
        ("solve", str(path), "--proof", str(tmp_path / "best.json"), "-o", str(tmp_path / "plan.json")),
        ("tour", str(points), "--proof", str(tmp_path / "tour.json")),
    ):
        subprocess.run([sys.executable, "-P", "-m", "planspec", *words], check=True, capture_output=True, cwd=tmp_path)
    checks: tuple[tuple[tuple[str, ...], str], ...] = (
        (("validate", str(path), "--check"), "a checked proof of"),
        (("solve", str(path), "--check", str(tmp_path / "best.json")), "the best within the scope"),
        (("tour", str(points), "--check", str(tmp_path / "tour.json")), "valid: no closed tour"),
    )
    for checked, claim_text in checks:
        command = [sys.executable, "-P", "-c", WITHOUT, *checked]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert claim_text in done.stdout
