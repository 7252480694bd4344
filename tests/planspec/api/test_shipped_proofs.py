"""The proofs that ship: one for each family and city, accepted by the project's checker and by another project's."""

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
from tests.lengths import few
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
"""The certificates beside which a proof lies."""


def tried(certificate: Path) -> bool:
    """In `make test`: of the cities two, whose proofs take seconds."""
    suite = certificate.relative_to(ROOT / "tasks").parts[0]
    return suite in FAMILIES[len(CITIES) :] or suite in ("worldtravel-berlin", "worldtravel-florence")


def judged(proof: Path) -> tuple[Judge, Path]:
    """The task, or the turn of one, beside whose certificate a proof lies, and the certificate's file."""
    name = proof.name.removesuffix(".lrat.gz").removesuffix(".best")
    found = (reference.path for reference in Catalog().expand(str(proof.parent.parent)))
    path = next(path for path in found if path.name.split(".")[0] == name.partition("@")[0])
    turn = "@" + name.partition("@")[2] if "@" in name else ""
    return Judge(load(f"{path}{turn}")), certificate_path(path, name)


def part_of(proof: Path) -> CertifiedClaim:
    """The claim that a proof shows."""
    judge, file = judged(proof)
    parts = certified_claims(judge, read(file))
    return next(part for part in parts if part.made.proof is not None and part.made.proof.file == proof.name)


def test_each_family_and_city_has_a_proof_and_all_are_small() -> None:
    suites = {proof.relative_to(ROOT / "tasks").parts[0] for proof in PROOFS}
    assert suites == set(FAMILIES)
    assert sum(proof.stat().st_size for proof in PROOFS) < MOST_BYTES


@pytest.mark.parametrize("certificate", few(PROVED, tried), ids=lambda certificate: certificate.stem)
def test_the_proofs_that_ship_show_the_claims_of_their_certificate(certificate: Path) -> None:
    own = [
        proof
        for proof in PROOFS
        if proof.parent == certificate.parent and proof.name.startswith(f"{certificate.stem}.")
    ]
    judge, file = judged(own[0])
    assert file == certificate
    found = check(judge, file)
    assert (found.status, found.reasons) == ("valid", [])
    assert {proof.name for proof in own} <= {each.file for each in found.proofs if each.checked}


@pytest.mark.parametrize(
    "suite", [name for name in FAMILIES if not name.startswith("worldtravel-")] + ["worldtravel-florence"]
)
def test_another_project_s_checker_accepts_one_of_each_family(suite: str) -> None:
    """By unit propagation, from the formula in DIMACS and the proof in DRUP: neither hints nor anything of this checker."""
    own = [proof for proof in PROOFS if proof.relative_to(ROOT / "tasks").parts[0] == suite]
    proof = min(own, key=lambda each: each.stat().st_size)
    part = part_of(proof)
    assert part.claim is not None
    made = obligation(part.ground, part.claim)
    assert made is not None
    steps = (line.split() for line in gzip.decompress(proof.read_bytes()).decode().splitlines())
    drup = "".join(" ".join(words[1 : words.index("0", 1) + 1]) + "\n" for words in steps)
    formula = dratify.parse_dimacs("".join(dimacs(made.formula)))
    assert dratify.check_proof(formula, dratify.parse_proof(drup), check_rat=False)
    assert (
        not dratify.check_proof(formula, dratify.parse_proof("0\n"), check_rat=False)
        or len(drup.splitlines()) == 1
    )


@pytest.mark.parametrize("suite", [f"worldtravel-{city}" for city in CITIES])
def test_every_claim_of_the_cities_has_its_proof_s_hashes(suite: str) -> None:
    for path in sorted((ROOT / "tasks" / suite / "certificates").glob("*.json")):
        made = read(path)
        assert made.proof is not None and made.best is not None and made.best.proof is not None, path.name


def test_make_proofs_makes_the_proof_that_a_certificate_names_and_that_is_not_there(tmp_path: Path) -> None:
    """The same bytes: a certificate that ships has the hashes of a proof that does not."""
    folder = tmp_path / "tasks" / "examples"
    for name in ("sudoku.task.yaml", "answers/sudoku.reference.json", "certificates/sudoku.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tasks" / "examples" / name, folder / name)
    command = [sys.executable, "-m", "benchmarks.proofs", "--out", str(tmp_path), "examples"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert "sudoku" in made.stdout
    for name in ("certificates/sudoku.lrat.gz", "certificates/sudoku.json"):
        assert (folder / name).read_bytes() == (ROOT / "tasks" / "examples" / name).read_bytes()
