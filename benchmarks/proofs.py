"""Proofs of every shipped claim: `python -m benchmarks.proofs`, or `make proofs`.

The tasks are copied to a folder. A certificate may claim that a task has no plan, or no other plan. Proofs of these
claims are written beside it, as by `planspec validate --certify --resume --proof`. Each line of the table is a claim:
`unique`, or `best` for `unique_best`. Times are CPU seconds. `prove` covers lowering, encoding, CaDiCaL, trimming
its trace, and the check. `check` covers the work that `validate --check` repeats: lowering, encoding, reading the proof
and checking it. Medians and maxima by suite follow.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple

from planspec import load
from planspec.api.catalog import Catalog
from planspec.api.certificates import BEST, FOLDER, certificate_path, read, write
from planspec.api.certified_proofs import certified_claims
from planspec.api.certified_proofs import prove_claims as add_proofs
from planspec.api.conversation import judges
from planspec.api.proof_files import UnprovableClaimError, proof_errors
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits
from tests.paths import ROOT


class Row(NamedTuple):
    """A claim with its proof.

    Attributes:
        suite: name of the suite.
        task: name of the task.
        claim: name of the claim.
        variables: number of variables of the encoding.
        clauses: number of clauses of the encoding.
        steps: number of steps of the proof.
        size: size of the proof in bytes.
        prove: CPU seconds for finding, writing and checking the proof.
        check: CPU seconds for checking the proof again.
        reason: reason if there is no proof, otherwise empty.
    """

    suite: str
    task: str
    claim: str
    variables: int = 0
    clauses: int = 0
    steps: int = 0
    size: int = 0
    prove: float = 0.0
    check: float = 0.0
    reason: str = ""


def certified_tasks(folder: Path) -> list[Path]:
    """Return the tasks with certificates in a folder and its subfolders."""
    paths: list[Path] = []
    workspace = Workspace()
    for certificates in sorted(folder.rglob(FOLDER)):
        ids = {path.stem.partition("@")[0] for path in certificates.glob("*.json")}
        tasks = (reference.path for reference in Catalog().expand(str(certificates.parent)))
        paths += (path for path in tasks if load(path, workspace=workspace).id in ids)
    return paths


def prove_claims(job: tuple[Path, float]) -> list[Row]:
    """Prove the claims of a task that have no proof yet, and return a row for each of its claims.

    `job` is the file of the task and the time limit of each proof in seconds.
    """
    path, seconds = job
    rows = []
    suite = next(part for part in path.parts[path.parts.index("tasks") + 1 :])
    for judge in judges(str(path), workspace=Workspace()):
        file = certificate_path(path, judge.task.id)
        certificate = read(file)
        reason = ""
        seconds_by_claim = dict.fromkeys(("", BEST), 0.0)
        for part in certified_claims(judge, certificate):
            existing_proof = part.certified.proof
            if part.claim is None or (existing_proof is not None and (file.parent / existing_proof.file).is_file()):
                continue
            began = process_time()
            try:
                certificate = add_proofs(judge, certificate, file, Limits(seconds=seconds), only=part.name)
            except (LimitReachedError, UnprovableClaimError, DiagnosticError) as error:
                reason = str(error)
            seconds_by_claim[part.name] = process_time() - began
        write(certificate, file)
        for part in certified_claims(judge, certificate):
            name = part.name or part.certified.unique.status
            if part.claim is None:
                continue
            if part.certified.proof is None:
                rows.append(Row(suite, judge.task.id, name, reason=reason))
                continue
            began = process_time()
            faults = list(proof_errors(file.parent, part.ground, part.claim, part.certified.proof))
            assert not faults, (judge.task.id, faults)
            check = process_time() - began
            proof = part.certified.proof
            size = (file.parent / proof.file).stat().st_size
            rows.append(
                Row(
                    suite,
                    judge.task.id,
                    name,
                    proof.variables,
                    proof.clauses,
                    proof.steps,
                    size,
                    seconds_by_claim[part.name],
                    check,
                )
            )
    return rows


def table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'task':28}{'claim':12}{'variables':>10}{'clauses':>10}{'steps':>9}{'kB':>8}{'prove':>8}{'check':>8}"
    for row in rows:
        start = f"{row.task:28}{row.claim:12}"
        if row.reason:
            yield f"{start}no proof: {row.reason}"
        else:
            yield f"{start}{row.variables:10,}{row.clauses:10,}{row.steps:9,}{row.size / 1000:8,.0f}{row.prove:8.2f}{row.check:8.2f}"
    yield ""
    yield f"{'suite':28}{'claims':>7}  clauses         steps           kB              in all   prove          check          (medians, maxima)"
    for suite in dict.fromkeys(row.suite for row in rows):
        own = [row for row in rows if row.suite == suite and not row.reason]
        if own:
            yield (
                f"{suite:28}{len(own):7}  "
                + " ".join(
                    f"{median(values):,.0f}/{max(values):,.0f}".ljust(15)
                    for values in (
                        [r.clauses for r in own],
                        [r.steps for r in own],
                        [r.size / 1000 for r in own],
                    )
                )
                + f" {sum(row.size for row in own) / 1e6:5.1f} MB  "
                + "  ".join(
                    f"{median(values):.2f}/{max(values):.2f} s".ljust(13)
                    for values in ([r.prove for r in own], [r.check for r in own])
                )
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "proofs")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for each search")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "folders",
        nargs="*",
        default=["."],
        help="folders of tasks/, such as worldtravel-berlin (default: all)",
    )
    args = parser.parse_args()
    copy = args.out / "tasks"
    if not copy.exists():
        shutil.copytree(ROOT / "tasks", copy, ignore=shutil.ignore_patterns("__pycache__"))
    tasks = [path for folder in args.folders for path in certified_tasks(copy / folder)]
    rows: list[Row] = []
    with Pool(args.jobs) as pool:
        for number, claims in enumerate(pool.imap(prove_claims, [(path, args.timeout) for path in tasks]), 1):
            rows += claims
            print(f"\r{number} of {len(tasks)}", end="", flush=True)
    print("\n" + "\n".join(table(rows)))


if __name__ == "__main__":
    main()
