"""Certificates: claims about a task, the solvers that proved them, and a hash of the task.

A certificate is stored beside its task, in `certificates/<id>.json`. Its hash and its witness (a plan) can be checked
quickly. The claim that there is no other plan, or no plan at all, can be checked if a proof is stored beside the
certificate. Otherwise it must be proved again.
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
from planspec.dsl.structure.document import NAME
from planspec.dsl.workspace.shards import is_shard, split_task_path
from planspec.files import id_as_file_name, replace_text
from planspec.solvers.backends.register import BackendName
from planspec.solvers.backends.versions import PARAMETERS

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.validation import Claim, Validation

FOLDER = "certificates"
BEST = "best"
"""Name of the claims about plans that also satisfy every soft constraint."""


class CertificateModel(BaseModel):
    """Base class of all parts of a certificate."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Proof(CertificateModel):
    """The result of one back end, with time and search effort.

    `seconds` is wall-clock time; `statistics` are the back end's own counters. `parameters` are the solver's
    parameters that affect its answers and differ from its defaults.
    """

    status: Literal["feasible", "infeasible", "unique", "multiple"]
    version: str
    parameters: dict[str, int] = {}
    seconds: float = Field(ge=0)
    statistics: dict[str, int]


Proofs = dict[BackendName, Proof]


class Feasible(CertificateModel):
    """The claim on whether there is a plan, with the result of every back end."""

    status: Literal["feasible", "infeasible"]
    backends: Proofs


class Unique(CertificateModel):
    """The claim on whether there is another plan, within or beyond the scope, with the result of every back end.

    `leans_on` names bounds of the scope. If there are some, the claim was proved with these bounds and without all
    others.
    """

    status: Literal["unique", "multiple", "infeasible"]
    backends: Proofs
    scope: Literal["within", "beyond"] = "within"
    leans_on: list[Annotated[str, Field(pattern=r"^scope:")]] = []

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, checked: int | None = None) -> str:
        """Return the claim as text, such as `unique beyond the scope, by cpsat and smt`.

        Args:
            checked: number of steps of a checked proof of the claim; None without one.
        """
        by: list[str] = [name for name, proof in self.backends.items() if proof.status == self.status]
        if checked is not None:
            by.append(f"a checked proof of {steps_in_words(checked)}")
        where = "" if self.status == "multiple" else f" {self.scope} the scope"
        leaning = f", leaning on {', '.join(self.leans_on)}" if self.leans_on else ""
        return f"{self.status}{where}{leaning}, by {', '.join(by[:-1])} and {by[-1]}"


class BestClaims(CertificateModel):
    """Claims for the task key `unique_best`, about plans that also satisfy every soft constraint."""

    feasible: Feasible
    unique: Unique
    witness: Any = None
    second: Any = None
    outside: dict[str, Any] = {}
    proof: ProofRecord | None = None


class CertifiedObjective(CertificateModel):
    """The value of an objective in the best plan, and its proved bound, in the same unit as in verdicts."""

    name: str
    value: int | str | None
    bound: int | str | None


class Optimum(CertificateModel):
    """The claim that no plan in the scope is better than the stored one, by soft weight and then objectives.

    If the status is `feasible`, the stored plan is the best found, and only the bounds are proved. `by` maps
    the back ends that prove the claim to their versions.
    """

    status: Literal["optimal", "feasible"]
    soft_weight: int
    objectives: list[CertifiedObjective]
    by: dict[BackendName, str]
    seconds: float = Field(ge=0)
    plan: Any


class Search(CertificateModel):
    """Limits of each back end's search."""

    seconds: float | None = Field(gt=0)
    workers: int = Field(ge=1)
    seed: int
    effort: float | None = Field(default=None, gt=0)


class Certificate(CertificateModel):
    """The certificate of a task.

    `hash` is SHA-256 over everything on which its proofs depend (`planspec.dsl.model.proof_hash`), without messages,
    titles and texts for agents. `outside` maps each bound on which the claim depends to a passing plan beyond that
    bound. `proof` can prove the claim in `unique` that there is no other plan, or no plan. A task with `unique_best`
    has a `certificate/2` with claims under `best`; any other task has a `certificate/1` without `best`. A task with
    objectives has a claim under `optimum`.
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
    optimum: Optimum | None = None

    @model_validator(mode="after")
    def _check_version(self) -> Certificate:
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
        """Whether every claim holds without some or all of the scope's bounds."""
        uniques = (self.unique,) if self.best is None else (self.unique, self.best.unique)
        return all(claims_beyond(unique) for unique in uniques)


def claims_beyond(unique: Unique) -> bool:
    """Return whether a claim was proved without some or all of the scope's bounds."""
    return unique.scope == "beyond" or bool(unique.leans_on)


def certificate_path(task: Path, id: str) -> Path:
    """Return the path of a task's certificate: `certificates/ID.json` beside its file.

    For a task in a suite's table it is `certificates/SUITE/ID.json`. Characters that file names may not have are
    written as `%20`.

    Args:
        task: file of the task.
        id: id of the task, with `~` and the name of the reading if it was read in one.
    """
    inside = split_task_path(task)
    folder = task.parent / FOLDER
    if inside is None or is_shard(inside[0]):
        is_word = NAME.fullmatch(id.replace("~", "_")) is not None
        return folder / f"{id if is_word else id_as_file_name(id)}.json"
    return folder / inside[0].name.removesuffix(".yaml").removesuffix(".suite") / f"{id_as_file_name(id)}.json"


def certify(
    judge: Judge,
    validation: Validation,
    limits: Limits,
    beyond: Beyond | None = None,
    best: Beyond | None = None,
    optimum: Solution | None = None,
) -> Certificate:
    """Return a certificate of the claims that were proved within the scope and, if requested, beyond it.

    Args:
        judge: judge of the task.
        validation: claims proved within the scope.
        limits: limits of the proofs.
        beyond: claims proved beyond the scope about all plans.
        best: claims proved beyond the scope about plans that also satisfy every soft constraint.
        optimum: best plan that was found; None for a task without objectives.
    """
    from importlib.metadata import version

    claims = None if validation.best is None else BestClaims.model_validate(_claims(judge, validation.best, best))
    return Certificate(
        planspec="certificate/1" if claims is None else "certificate/2",
        version=version("planspec"),
        task=judge.task.certificate_id,
        hash=proof_hash(judge.task),
        limits=Search(seconds=limits.seconds, workers=limits.workers, seed=limits.seed, effort=limits.effort),
        best=claims,
        optimum=None if optimum is None else _optimum(judge, optimum),
        **_claims(judge, validation, beyond),
    )


def _optimum(judge: Judge, solution: Solution) -> Optimum | None:
    """Return the claim about the best plan; None if no plan was found."""
    from planspec.api.best_values import BestValues
    from planspec.solvers.backends.register import backend
    from planspec.verifiers.meaning.objectives import amount

    best_values = BestValues.of(solution)
    if best_values is None or solution.plan is None:
        return None
    return Optimum(
        status="optimal" if best_values.by else "feasible",
        soft_weight=best_values.soft_weight,
        objectives=[
            CertifiedObjective(
                name=declared.name,
                value=None if value.best is None else amount(value.best),
                bound=None if value.bound is None else amount(value.bound),
            )
            for declared, value in zip(judge.task.objectives, best_values.values, strict=True)
        ],
        by={name: backend(name).version for name in best_values.by},  # type: ignore[misc] # the register checks names
        seconds=round(solution.seconds, 4),
        plan=judge.encode(solution.plan),
    )


def _claims(judge: Judge, validation: Validation, beyond: Beyond | None) -> dict[str, Any]:
    """Return the claims of a validation as JSON, with plans as evidence."""
    return {
        "feasible": Feasible.model_validate(_claim_data(validation.feasible)),
        "unique": _unique_claim(validation, beyond),
        "witness": None if validation.witness is None else judge.encode(validation.witness),
        "second": None if validation.second is None else judge.encode(validation.second),
        "outside": {}
        if beyond is None
        else {
            bound: answer
            for bound, plan in beyond.outside.items()
            if (answer := judge.passing_answer(plan)) is not None
        },
    }


def _unique_claim(validation: Validation, beyond: Beyond | None) -> Unique:
    if beyond is None or beyond.claim.status == "unknown":
        return Unique.model_validate(_claim_data(validation.unique))
    reach = {"scope": "beyond" if beyond.holds else "within", "leans_on": list(beyond.leans_on)}
    return Unique.model_validate({**_claim_data(beyond.claim), **reach})


def _claim_data(claim: Claim) -> dict[str, Any]:
    return {
        "status": claim.status,
        "backends": {
            name: {
                "status": b.status,
                "version": b.version,
                "parameters": dict(PARAMETERS.get(name, {})),
                "seconds": round(b.seconds, 4),
                "statistics": dict(b.statistics),
            }
            for name, b in claim.backends.items()
        },
    }


def proof_path(path: Path, task: str, name: str = "") -> Path:
    """Return the file of a proof beside the certificate.

    Args:
        path: path of the certificate.
        task: id of the task.
        name: name of the claim: empty, or `BEST`.
    """
    return path.with_name(".".join(filter(None, (task, name, "lrat.gz"))))


def write(certificate: Certificate, path: Path) -> list[Path]:
    """Write a certificate. Its folder is created, and earlier proofs that it does not name are deleted.

    Returns:
        The deleted proofs.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    data = certificate.model_dump()
    for part in (data, data["best"] or {}):
        for name in ("best", "proof", "optimum"):
            if name in part and part[name] is None:
                del part[name]
    text = json.dumps(data, indent=1, ensure_ascii=False, default=_as_json_number)
    replace_text(path, text + "\n")
    claims = {"": certificate.proof, BEST: certificate.best and certificate.best.proof}
    deleted = [proof_path(path, certificate.task, name) for name, proof in claims.items() if proof is None]
    deleted = [proof for proof in deleted if proof.exists()]
    for proof in deleted:
        proof.unlink()
    return deleted


def _as_json_number(value: Any) -> Any:
    return int(value) if value == int(value) else float(value)


def read(path: Path) -> Certificate:
    """Read the certificate in a file.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file is not a certificate; the message says why.
        OSError: the file cannot be read.
    """
    try:
        return Certificate.model_validate_json(read_bytes(path, FILE_BYTES))
    except UnsuitableFileError as error:
        raise ValueError(error.strerror) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
