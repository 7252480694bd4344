"""Shipped proofs, one for each family and city, are accepted by planspec's checker and by an independent one."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import dratify
import pytest

from planspec import load
from planspec.api.catalog import Catalog
from planspec.api.certificate_check import check
from planspec.api.certificates import certificate_path, read
from planspec.api.certified_proofs import CertifiedClaim, certified_claims
from planspec.api.judging import Judge
from planspec.solvers.proofs.obligation import obligation
from planspec.solvers.proofs.texts import dimacs
from tests.lengths import try_few
from tests.paths import ROOT

pytestmark = pytest.mark.slow

PROOFS = sorted((ROOT / "tasks").rglob("*.lrat.gz"))
CITIES = ("barcelona", "berlin", "florence", "rome", "vienna")
FAMILIES = (
    *(f"worldtravel-{city}" for city in CITIES),
    "examples",
    "mobilitybench",
    "travelplanner-small",
    "veritrip",
)
MOST_BYTES = 3_000_000
PROVED = sorted(
    {proof.with_name(f"{proof.name.removesuffix('.lrat.gz').removesuffix('.best')}.json") for proof in PROOFS}
)
"""The certificates with a proof beside them."""


def is_checked_by_default(certificate: Path) -> bool:
    """Return whether `make test` checks a certificate.

    Proofs of cities take seconds, so only one city is checked, and every third certificate of the other suites.
    """
    suite = certificate.relative_to(ROOT / "tasks").parts[0]
    if suite in FAMILIES[: len(CITIES)]:
        return suite == "worldtravel-berlin"
    of_suite = [each for each in PROVED if each.relative_to(ROOT / "tasks").parts[0] == suite]
    return of_suite.index(certificate) % 3 == 0


def judge_and_certificate(proof: Path) -> tuple[Judge, Path]:
    """Return a judge of the task or turn that a proof belongs to, and the path of its certificate."""
    name = proof.name.removesuffix(".lrat.gz").removesuffix(".best")
    paths = (reference.path for reference in Catalog().expand(str(proof.parent.parent)))
    path = next(path for path in paths if path.name.split(".")[0] == name.partition("@")[0])
    turn = "@" + name.partition("@")[2] if "@" in name else ""
    return Judge(load(f"{path}{turn}")), certificate_path(path, name)


def claim_of(proof: Path) -> CertifiedClaim:
    """Return the claim that a proof proves."""
    judge, file = judge_and_certificate(proof)
    parts = certified_claims(judge, read(file))
    return next(part for part in parts if part.certified.proof is not None and part.certified.proof.file == proof.name)


def test_each_family_and_city_has_a_proof_and_all_are_small() -> None:
    suites = {proof.relative_to(ROOT / "tasks").parts[0] for proof in PROOFS}
    assert suites == set(FAMILIES)
    assert sum(proof.stat().st_size for proof in PROOFS) < MOST_BYTES


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "certificate", try_few(PROVED, is_checked_by_default), ids=lambda certificate: certificate.stem
)
def test_shipped_proofs_prove_the_claims_of_their_certificate(certificate: Path) -> None:
    proofs = [
        proof
        for proof in PROOFS
        if proof.parent == certificate.parent and proof.name.startswith(f"{certificate.stem}.")
    ]
    judge, file = judge_and_certificate(proofs[0])
    assert file == certificate
    result = check(judge, file)
    assert (result.status, result.reasons) == ("valid", [])
    assert {proof.name for proof in proofs} <= {each.file for each in result.proofs if each.checked}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "suite",
    [
        *(name for name in FAMILIES if not name.startswith("worldtravel-")),
        pytest.param("worldtravel-florence", marks=pytest.mark.thorough),
    ],
)
def test_an_independent_checker_accepts_one_proof_of_each_family(suite: str) -> None:
    """The checker reads the DIMACS formula and the DRUP proof without hints, and uses only unit propagation."""
    proofs = [proof for proof in PROOFS if proof.relative_to(ROOT / "tasks").parts[0] == suite]
    proof = min(proofs, key=lambda each: each.stat().st_size)
    part = claim_of(proof)
    assert part.claim is not None
    created = obligation(part.ground, part.claim)
    assert created is not None
    steps = (line.split() for line in gzip.decompress(proof.read_bytes()).decode().splitlines())
    drup = "".join(" ".join(words[1 : words.index("0", 1) + 1]) + "\n" for words in steps)
    formula = dratify.parse_dimacs("".join(dimacs(created.formula)))
    assert dratify.check_proof(formula, dratify.parse_proof(drup), check_rat=False)
    assert not dratify.check_proof(formula, dratify.parse_proof("0\n"), check_rat=False) or len(drup.splitlines()) == 1


@pytest.mark.parametrize("suite", [f"worldtravel-{city}" for city in CITIES])
def test_every_claim_of_the_cities_has_its_proof_s_hashes(suite: str) -> None:
    for path in sorted((ROOT / "tasks" / suite / "certificates").glob("*.json")):
        created = read(path)
        assert created.proof is not None and created.best is not None and created.best.proof is not None, path.name


@pytest.mark.thorough
def test_make_proofs_restores_a_missing_proof(tmp_path: Path) -> None:
    """The proof has the same bytes, since certificates contain hashes of proofs that are not shipped."""
    folder = tmp_path / "tasks" / "examples"
    for name in ("sudoku.task.yaml", "answers/sudoku.reference.json", "certificates/sudoku.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tasks" / "examples" / name, folder / name)
    command = [sys.executable, "-m", "benchmarks.proofs", "--out", str(tmp_path), "examples"]
    created = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert created.returncode == 0, created.stderr
    assert "sudoku" in created.stdout
    for name in ("certificates/sudoku.lrat.gz", "certificates/sudoku.json"):
        assert (folder / name).read_bytes() == (ROOT / "tasks" / "examples" / name).read_bytes()
