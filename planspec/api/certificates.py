"""Certificates: the claims about a task, their provers, and the text of the task.

A certificate lies beside its task, in `certificates/<id>.json`. Its hash and its witness can be checked again at once;
the proofs, that there is no other plan or none at all, only by proving them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from planspec.api.outputs import CertificateCheck
from planspec.dsl.resources.limits import FILE_BYTES
from planspec.dsl.resources.reading import UnfitFile, read_bytes
from planspec.files import replace_text
from planspec.solvers.backends.register import PROVERS, BackendName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planspec.api.judging import Judge
    from planspec.dsl.model.task import Task
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.prove import Claim, Validation
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan

FOLDER = "certificates"


class CertificateModel(BaseModel):
    """The base of all parts of a certificate."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Proof(CertificateModel):
    """The proof of one back end, with its time and its search.

    `seconds` is wall-clock time; `statistics` are the back end's own counters.
    """

    status: Literal["feasible", "infeasible", "unique", "multiple"]
    version: str
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
        """Such as `unique beyond the scope, by cpsat and smt`."""
        by = " and ".join(name for name, proof in self.backends.items() if proof.status == self.status)
        where = "" if self.status == "multiple" else f" {self.scope} the scope"
        leaning = f", leaning on {', '.join(self.leans_on)}" if self.leans_on else ""
        return f"{self.status}{where}{leaning}, by {by}"


class BestClaims(CertificateModel):
    """The same claims and plans of the plans that keep every soft constraint, too, as `unique_best` makes them."""

    feasible: Feasible
    unique: Unique
    witness: Any = None
    second: Any = None
    outside: dict[str, Any] = {}


class Search(CertificateModel):
    """The limits of each question to a back end."""

    seconds: float | None = Field(gt=0)
    workers: int = Field(ge=1)
    seed: int


class Certificate(CertificateModel):
    """One task's certificate.

    `hash` is SHA-256 over everything the task was read from, wherever that lies: the sorted SHA-256 of each
    file's text (of binary tables, of their rows). `outside` has, for bounds that the claim leans on, a plan beyond
    the scope that passes. A task with `unique_best` has a `certificate/2`, with the claims under `best`; any other a
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
    def claims(self) -> list[str]:
        """What is claimed, for people: of all plans, and of those that keep every soft constraint, too."""
        best = [] if self.best is None else [f"with every soft constraint: {self.best.unique}"]
        return [str(self.unique), *best]

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
        version=version("planspec"), task=judge.task.id, hash=judge.task.hash,
        limits=Search(seconds=limits.seconds, workers=limits.workers, seed=limits.seed),
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
                "status": b.status, "version": b.version, "seconds": round(b.seconds, 4), "statistics": dict(b.statistics),
            }
            for name, b in claim.backends.items()
        },
    }  # fmt: skip


def write(certificate: Certificate, path: Path) -> None:
    """Write a certificate, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    absent = {"best"} if certificate.best is None else set[str]()
    text = json.dumps(certificate.model_dump(exclude=absent), indent=1, ensure_ascii=False, default=_number)
    replace_text(path, text + "\n")


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
    except UnfitFile as error:
        raise ValueError(error.strerror) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def check(judge: Judge, path: Path) -> CertificateCheck:
    """Check that a certificate is of this text of the task, does not contradict itself, and has the plans that it claims.

    Returns:
        `missing`: there is no file. `wrong`: it is no certificate of this task, contradicts itself, or a plan in it
        fails. `stale`: the task, or something that it reads, has changed since. `valid` otherwise.
    """
    task = judge.task.id
    try:
        made = read(path)
    except FileNotFoundError:
        return CertificateCheck(task=task, status="missing", reasons=[f"there is no file {path}"])
    except (OSError, ValueError) as error:
        return CertificateCheck(task=task, status="wrong", reasons=[f"{path} is no certificate: {error}"])
    reasons = [f"it is the certificate of `{made.task}`"] if made.task != task else []
    reasons.extend(_contradictions(made, judge.task))
    reasons.extend(_false_plans(judge, judge.ground, made))
    reasons.extend(_wrong_best(judge, made))
    if reasons:
        return CertificateCheck(task=task, status="wrong", reasons=reasons)
    if made.hash != judge.task.hash:
        return CertificateCheck(
            task=task, status="stale", reasons=["the task or something that it reads has changed since"]
        )
    return CertificateCheck(
        task=task, status="valid", reasons=[], notes=list(_other_versions(made)), claims=made.claims
    )


def _wrong_best(judge: Judge, made: Certificate) -> Iterator[str]:
    """What is wrong with the claims about plans that keep every soft constraint, too."""
    from planspec.solvers.questions.claims import among_best

    ground = among_best(judge.ground)
    if made.best is None or ground is None:
        if made.best is not None:
            yield "it has claims under `best`, and the task has no `unique_best`"
        if ground is not None:
            yield "the task has `unique_best`, and it has no claims under `best`"
        return
    for reason in (*_contradictions(made.best, judge.task), *_false_plans(judge, ground, made.best)):
        yield f"best: {reason}"
    if made.feasible.status == "infeasible" and made.best.feasible.status == "feasible":
        yield "it says infeasible, and that a plan keeps every constraint"


def _contradictions(made: Certificate | BestClaims, task: Task) -> Iterator[str]:
    """The contradictions between a certificate's claims and its proofs, or among its claims."""
    claims: tuple[tuple[str, Feasible | Unique], ...] = (("feasible", made.feasible), ("unique", made.unique))
    for name, claim in claims:
        for prover in PROVERS:
            if prover not in claim.backends:
                yield f"`{name}` has no proof by {prover}"
        for prover, proof in claim.backends.items():
            if proof.status != claim.status:
                yield f"`{name}` says {claim.status}, and {prover} proved {proof.status}"
    if (made.feasible.status == "infeasible") != (made.unique.status == "infeasible"):
        yield f"it says {made.feasible.status} and {made.unique.status}"
    for name, plan, wanted, status in (
        ("witness", made.witness, made.feasible.status == "feasible", made.feasible.status),
        ("second plan", made.second, made.unique.status == "multiple", made.unique.status),
    ):
        if (plan is not None) != wanted:
            yield f"it says {status} and has {'no' if plan is None else 'a'} {name}"
    if made.unique.scope == "beyond" and made.unique.leans_on:
        yield f"what holds beyond the scope leans on no bound, such as {made.unique.leans_on[0]}"
    for bound in made.outside:
        if bound not in made.unique.leans_on:
            yield f"it has a plan beyond {bound}, and does not lean on it"
    for bound in made.unique.leans_on:
        table, _, column = bound.removeprefix("scope:").partition(".")
        known = next((one for one in task.plan_tables if one.name == table), None)
        if known is None or (column and column not in known.columns):
            yield f"it leans on {bound}, and the plan has no such table or column"


def _false_plans(judge: Judge, ground: Ground, made: Certificate | BestClaims) -> Iterator[str]:
    """Plans of a certificate that are not what it says of them: plans of `ground`, which differ."""
    from planspec.solvers.lowering.problem import same_plan
    from planspec.solvers.questions.prove import refusal

    read: dict[str, Plan] = {}
    beyond = {f"plan beyond {bound}": plan for bound, plan in made.outside.items()}
    for name, answer in {"witness": made.witness, "second plan": made.second, **beyond}.items():
        if answer is None:
            continue
        plan = judge.read(answer) if judge.decoded(answer).status == "pass" else None
        if plan is None:
            yield f"the {name} does not satisfy the task"
        elif ground is not judge.ground and (refused := refusal(ground, plan)) is not None:
            yield f"the {name} does not keep every constraint: {refused}"
        else:
            read[name] = plan
    witness = read.pop("witness", None)
    for name, plan in read.items():
        if witness is not None and same_plan(ground, witness, plan):
            yield f"the {name} is the witness, by what tells plans apart"


def _other_versions(made: Certificate) -> Iterator[str]:
    """The versions in a certificate that differ from the installed ones."""
    from importlib.metadata import version

    from planspec.solvers.backends.register import backend

    if made.version != version("planspec"):
        yield f"made by planspec {made.version}; this is {version('planspec')}"
    for prover, proof in made.unique.backends.items():
        if proof.version != backend(prover).version:
            yield f"proved with {prover} {proof.version}; here is {backend(prover).version}"
