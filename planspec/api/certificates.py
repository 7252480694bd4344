"""Certificates: the claims about a task, their provers, and the text of the task.

A certificate lies beside its task, in `certificates/<id>.json`. Its hash and its witness can be checked again at once. That there
is no other plan, or none at all, can be checked where a proof of it lies beside the certificate, and else only by proving it again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from planspec.api.proof_files import ProofRecord, steps_in_words
from planspec.dsl.model.proof_hash import proof_hash
from planspec.dsl.resources.limits import FILE_BYTES
from planspec.dsl.resources.reading import UnsuitableFileError, read_bytes
from planspec.files import replace_text
from planspec.solvers.backends.register import BackendName
from planspec.solvers.backends.versions import PARAMETERS

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.validation import Claim, Validation

FOLDER = "certificates"
BEST = "best"
"""The name of the claims about plans that keep every soft constraint, too."""


class CertificateModel(BaseModel):
    """The base of all parts of a certificate."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Proof(CertificateModel):
    """The proof of one back end, with its time and its search.

    `seconds` is wall-clock time; `statistics` are the back end's own counters. `parameters` are those of the solver's own parameters
    that its answers depend on and that differ from its defaults.
    """

    status: Literal["feasible", "infeasible", "unique", "multiple"]
    version: str
    parameters: dict[str, int] = {}
    seconds: float = Field(ge=0)
    statistics: dict[str, int]


Proofs = dict[BackendName, Proof]


class Feasible(CertificateModel):
    """The claims of every back end that there is a plan."""

    status: Literal["feasible", "infeasible"]
    backends: Proofs


class Unique(CertificateModel):
    """The claims of every back end about another plan, within the scope or beyond it.

    The proofs are of what is claimed: where the claim leans on bounds of the scope, all others were taken off.
    """

    status: Literal["unique", "multiple", "infeasible"]
    backends: Proofs
    scope: Literal["within", "beyond"] = "within"
    leans_on: list[Annotated[str, Field(pattern=r"^scope:")]] = []

    def __str__(self) -> str:
        return self.said()

    def said(self, checked: int | None = None) -> str:
        """Such as `unique beyond the scope, by cpsat and smt`.

        Args:
            checked: the steps of a proof that was checked and shows it, too.
        """
        by: list[str] = [name for name, proof in self.backends.items() if proof.status == self.status]
        if checked is not None:
            by.append(f"a checked proof of {steps_in_words(checked)}")
        where = "" if self.status == "multiple" else f" {self.scope} the scope"
        leaning = f", leaning on {', '.join(self.leans_on)}" if self.leans_on else ""
        return f"{self.status}{where}{leaning}, by {', '.join(by[:-1])} and {by[-1]}"


class BestClaims(CertificateModel):
    """The same claims and plans of the plans that keep every soft constraint, too, as `unique_best` makes them."""

    feasible: Feasible
    unique: Unique
    witness: Any = None
    second: Any = None
    outside: dict[str, Any] = {}
    proof: ProofRecord | None = None


class Search(CertificateModel):
    """The limits of each question to a back end."""

    seconds: float | None = Field(gt=0)
    workers: int = Field(ge=1)
    seed: int
    effort: float | None = Field(default=None, gt=0)


class Certificate(CertificateModel):
    """One task's certificate.

    `hash` is SHA-256 over everything that its proofs read (`planspec.dsl.model.proof_hash`): no message, title or text for agents.
    `outside` has, for bounds that the claim leans on, a plan beyond
    the scope that passes. `proof` is of what `unique` claims, if it is that there is no other plan, or none. A task with `unique_best` has a `certificate/2`, with the claims under `best`; any other a
    `certificate/1`, without.
    """

    planspec: Literal["certificate/1", "certificate/2"] = "certificate/1"
    version: str
    task: str
    hash: str
    feasible: Feasible
    unique: Unique
    limits: Search
    witness: Any
    second: Any = None
    outside: dict[str, Any] = {}
    proof: ProofRecord | None = None
    best: BestClaims | None = None

    @model_validator(mode="after")
    def _of_its_version(self) -> Certificate:
        if (self.best is not None) != (self.planspec == "certificate/2"):
            raise ValueError("a certificate/2 has claims under `best`, and a certificate/1 has none")
        return self

    def __repr__(self) -> str:
        best = "" if self.best is None else f"; best {self.best.unique.status}"
        return f"<Certificate of {self.task}: {self.feasible.status}, {self.unique.status}{best}>"

    def __str__(self) -> str:
        return repr(self)

    @property
    def claims_beyond(self) -> bool:
        """More is claimed than what holds within the scope, by each claim."""
        uniques = (self.unique,) if self.best is None else (self.unique, self.best.unique)
        return all(claims_beyond(unique) for unique in uniques)


def claims_beyond(unique: Unique) -> bool:
    """More is claimed than what holds within the scope."""
    return unique.scope == "beyond" or bool(unique.leans_on)


def certificate_path(task: Path, id: str) -> Path:
    """The path of the certificate of a task's file."""
    return task.parent / FOLDER / f"{id}.json"


def certify(
    judge: Judge, found: Validation, limits: Limits, beyond: Beyond | None = None, best: Beyond | None = None
) -> Certificate:
    """The certificate of what was proved, within the scope and, where that was asked, beyond it.

    Args:
        judge: of the task.
        found: what was proved within the scope.
        limits: with which.
        beyond: what was proved beyond it of all plans.
        best: what was proved beyond it of those that keep every soft constraint, too.
    """
    from importlib.metadata import version

    claims = None if found.best is None else BestClaims.model_validate(_claims(judge, found.best, best))
    return Certificate(
        planspec="certificate/1" if claims is None else "certificate/2",
        version=version("planspec"), task=judge.task.id, hash=proof_hash(judge.task),
        limits=Search(seconds=limits.seconds, workers=limits.workers, seed=limits.seed, effort=limits.effort),
        best=claims, **_claims(judge, found, beyond),
    )  # fmt: skip


def _claims(judge: Judge, found: Validation, beyond: Beyond | None) -> dict[str, Any]:
    """What was proved of some plans, with plans that show it."""
    return {
        "feasible": Feasible.model_validate(_proved(found.feasible)),
        "unique": _unique(found, beyond),
        "witness": None if found.witness is None else judge.encode(found.witness),
        "second": None if found.second is None else judge.encode(found.second),
        "outside": {} if beyond is None else {
            bound: answer for bound, plan in beyond.outside.items() if (answer := judge.passing_answer(plan)) is not None
        },
    }  # fmt: skip


def _unique(found: Validation, beyond: Beyond | None) -> Unique:
    if beyond is None or beyond.claim.status == "unknown":
        return Unique.model_validate(_proved(found.unique))
    told = {"scope": "beyond" if beyond.holds else "within", "leans_on": list(beyond.leans_on)}
    return Unique.model_validate({**_proved(beyond.claim), **told})


def _proved(claim: Claim) -> dict[str, Any]:
    return {
        "status": claim.status,
        "backends": {
            name: {
                "status": b.status, "version": b.version, "parameters": dict(PARAMETERS.get(name, {})), "seconds": round(b.seconds, 4), "statistics": dict(b.statistics),
            }
            for name, b in claim.backends.items()
        },
    }  # fmt: skip


def proof_path(path: Path, task: str, name: str = "") -> Path:
    """The file of a proof beside a certificate.

    Args:
        path: of the certificate.
        task: its id.
        name: of the claim: empty, or `BEST`.
    """
    return path.with_name(".".join(filter(None, (task, name, "lrat.gz"))))


def write(certificate: Certificate, path: Path) -> list[Path]:
    """Write a certificate, making its folder; proofs of what an earlier one claimed go with that.

    Returns:
        The proofs that went.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    told = certificate.model_dump()
    for part in (told, told["best"] or {}):
        for name in ("best", "proof"):
            if name in part and part[name] is None:
                del part[name]
    text = json.dumps(told, indent=1, ensure_ascii=False, default=_number)
    replace_text(path, text + "\n")
    claims = {"": certificate.proof, BEST: certificate.best and certificate.best.proof}
    gone = [proof_path(path, certificate.task, name) for name, proof in claims.items() if proof is None]
    gone = [proof for proof in gone if proof.exists()]
    for proof in gone:
        proof.unlink()
    return gone


def _number(value: Any) -> Any:
    return int(value) if value == int(value) else float(value)


def read(path: Path) -> Certificate:
    """The certificate of a file.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is no certificate, and what is wrong with it.
        OSError: it cannot be read.
    """
    try:
        return Certificate.model_validate_json(read_bytes(path, FILE_BYTES))
    except UnsuitableFileError as error:
        raise ValueError(error.strerror) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
