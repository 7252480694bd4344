"""The check of certificates: text, claims, plans and proofs. No solver is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.certificates import BEST, read
from planspec.api.certified_proofs import certified_claims, checked_proofs
from planspec.api.outputs.claims import CertificateCheck
from planspec.dsl.model.proof_hash import proof_hash
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.versions import version_of

if TYPE_CHECKING:
    from planspec.api.certificates import BestClaims, Certificate, Feasible, Unique
    from planspec.api.judging import Judge
    from planspec.api.proof_files import ProofRecord
    from planspec.dsl.model.task import Task
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan

KEEPING = "with every soft constraint: "
"""The beginning of what is said of the plans that keep every soft constraint, too."""


def check(judge: Judge, path: Path, *, proofs: bool = False) -> CertificateCheck:
    """Check that a certificate is of this task as it is now, does not contradict itself, and has the plans that it claims.

    Args:
        judge: of the task.
        path: the certificate's file.
        proofs: a claim that may have a proof must have one that was checked.

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
    if made.hash != proof_hash(judge.task):
        return CertificateCheck(
            task=task, status="stale", reasons=["the task or something that it reads has changed since"]
        )
    found, reasons = checked_proofs(judge, made, path)
    if proofs:
        there = {each.file for each in found if each.checked}
        reasons += [
            f"{part.before}no proof was checked: {_missing(part.made.proof)}"
            for part in certified_claims(judge, made)
            if part.claim is not None and (part.made.proof is None or part.made.proof.file not in there)
        ]
    if reasons:
        return CertificateCheck(task=task, status="wrong", reasons=reasons)
    absent = [f"the proof {each.file} is not here, and was not checked" for each in found if not each.checked]
    steps = {each.file: each.steps for each in found if each.checked}
    said = [
        f"{KEEPING if part.name == BEST else ''}{part.made.unique.said(steps.get(part.made.proof.file) if part.made.proof else None)}"
        for part in certified_claims(judge, made)
    ]
    return CertificateCheck(
        task=task, status="valid", reasons=[], notes=[*_other_versions(made), *absent], claims=said, proofs=found
    )  # fmt: skip


def _missing(proof: ProofRecord | None) -> str:
    return "it names none" if proof is None else f"{proof.file} is not here"


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
    from planspec.solvers.questions.witness import refusal

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

    if made.version != version("planspec"):
        yield f"made by planspec {made.version}; this is {version('planspec')}"
    for prover, proof in made.unique.backends.items():
        here = version_of(prover)
        if here is not None and proof.version != here:
            yield f"proved with {prover} {proof.version}; here is {here}"
