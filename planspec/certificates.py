"""Certificates: what was proved of a task, by whom, and of which text of it.

A certificate lies beside its task, in `certificates/<id>.json`. Its hash and its witness can be checked again at once;
the proofs, that there is no other plan or none at all, only by proving them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from planspec.files import replace_text
from planspec.outputs import CertificateCheck

if TYPE_CHECKING:
    from planspec.api import Judge
    from planspec.solvers.outcome import Limits
    from planspec.solvers.prove import Claim, Validation

FOLDER = "certificates"


class Part(BaseModel):
    """What all parts of a certificate share."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Proof(Part):
    """What one back end proved, in which time and with which search.

    `seconds` is wall-clock time; `statistics` are the back end's own counters.
    """

    status: str
    version: str
    seconds: float
    statistics: dict[str, int]


class Certified(Part):
    """What every back end that was asked proved."""

    status: str
    backends: dict[str, Proof]


class Search(Part):
    """The limits of each question to a back end."""

    seconds: float | None
    workers: int
    seed: int


class Certificate(Part):
    """One task's certificate.

    `hash` is SHA-256 over everything the task was read from, wherever that lies: the sorted SHA-256 of each
    file's text (of binary tables, of their rows).
    """

    planspec: Literal["certificate/1"] = "certificate/1"
    version: str
    task: str
    hash: str
    feasible: Certified
    unique: Certified
    limits: Search
    witness: Any
    second: Any = None


def certificate_path(task: Path, id: str) -> Path:
    """Where the certificate of a task's file lies."""
    return task.parent / FOLDER / f"{id}.json"


def certify(judge: Judge, found: Validation, limits: Limits) -> Certificate:
    """The certificate of what was proved."""
    from importlib.metadata import version

    from planspec.solvers.prove import task_hash

    return Certificate(
        version=version("planspec"), task=judge.task.id, hash=task_hash(judge.task),
        feasible=_certified(found.feasible), unique=_certified(found.unique),
        limits=Search(seconds=limits.seconds, workers=limits.workers, seed=limits.seed),
        witness=None if found.witness is None else judge.encode(found.witness),
        second=None if found.second is None else judge.encode(found.second),
    )  # fmt: skip


def _certified(claim: Claim) -> Certified:
    return Certified(
        status=claim.status,
        backends={
            name: Proof(
                status=b.status, version=b.version, seconds=round(b.seconds, 4), statistics=dict(b.statistics)
            )
            for name, b in claim.backends.items()
        },
    )


def write(certificate: Certificate, path: Path) -> None:
    """Write a certificate, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(certificate.model_dump(), indent=1, ensure_ascii=False, default=_number)
    replace_text(path, text + "\n")


def _number(value: Any) -> Any:
    return int(value) if value == int(value) else float(value)


def check(judge: Judge, path: Path) -> CertificateCheck:
    """Whether a certificate is of this text of the task, and its plans are what they are said to be.

    Returns:
        `missing`: there is no file. `wrong`: it is no certificate of this task, or a plan in it fails. `stale`:
        the task, or something that it reads, has changed since. `valid` otherwise.
    """
    from planspec.solvers.prove import task_hash

    task = judge.task.id
    try:
        made = Certificate.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return CertificateCheck(task=task, status="missing", reasons=[f"there is no file {path}"])
    except (OSError, ValidationError, ValueError) as error:
        return CertificateCheck(
            task=task, status="wrong", reasons=[f"{path} is no certificate: {str(error).splitlines()[0]}"]
        )
    reasons = []
    if made.task != task:
        reasons.append(f"it is the certificate of `{made.task}`")
    for name, plan in (("witness", made.witness), ("second plan", made.second)):
        if plan is not None and judge.decoded(plan).status != "pass":
            reasons.append(f"the {name} does not satisfy the task")
    if (made.witness is None) == (made.feasible.status == "feasible"):
        reasons.append(
            f"it says {made.feasible.status} and has {'no' if made.witness is None else 'a'} witness"
        )
    if made.unique.status == "multiple" and made.second is None:
        reasons.append("it says that there are several plans and has no second one")
    if reasons:
        return CertificateCheck(task=task, status="wrong", reasons=reasons)
    if made.hash != task_hash(judge.task):
        return CertificateCheck(
            task=task, status="stale", reasons=["the task or something that it reads has changed since"]
        )
    return CertificateCheck(task=task, status="valid", reasons=[])
