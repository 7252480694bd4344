"""Output models for tasks: diagnostics, claims and their proofs, cases, and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, SerializeAsAny

from planspec.api.cases.coverage import ConstraintCoverage
from planspec.api.cases.expectations import CaseDifference
from planspec.api.cases.mutation import MutantResult
from planspec.api.cases.suggestions import Suggestions
from planspec.api.outputs.base import Output
from planspec.dsl.diagnostics.rendering import DiagnosticJson
from planspec.dsl.model.expectation import Expectation
from planspec.errors import Reason
from planspec.verifiers.meaning.differences import PlanDifference
from planspec.verifiers.meaning.objectives import ObjectiveValue
from planspec.verifiers.meaning.verdict import Finding, SourcePlace, Verdict

if TYPE_CHECKING:
    from planspec.api.cases.report import CaseReport


class StageOutput(Output):
    """Type and evaluation stage of a definition, constraint or domain: a line of `check --stages`."""

    stage: str
    kind: str
    name: str
    type: str
    optional: bool
    file: str
    line: int


class CheckStagesOutput(Output):
    """The output of `check --stages`: diagnostics, and types and stages in tasks without errors."""

    diagnostics: list[DiagnosticJson]
    stages: list[StageOutput]


class BackendOutput(Output):
    """The claim that one back end proved. If it is undecided, `reason` names the limit at which the search stopped."""

    status: str
    seconds: float
    reason: Reason | None = None


class OpinionOutput(Output):
    """The answer of a back end that contradicts another back end: a status, and the claimed plan or bound.

    Attributes:
        by: name of the back end, such as `z3`.
        bound: claimed bound of the first objective, in the unit of `solve`.
    """

    by: str
    status: str
    plan: Any = None
    bound: int | float | None = None


class ClaimOutput(Output):
    """The claims of all back ends that ran, and the status that follows from them."""

    status: str
    backends: dict[str, BackendOutput]


class DifferenceOutput(Output):
    """A field in which two plans differ. If `field` is null, only one plan has the row."""

    table: str
    key: str | None
    field: str | None
    before: Any = Field(alias="from")
    after: Any = Field(alias="to")
    said: str = Field(default="", exclude=True)  # the difference as text

    @classmethod
    def of(cls, difference: PlanDifference) -> DifferenceOutput:
        """Return a difference as JSON output."""
        return cls.model_validate(
            {
                "table": difference.table,
                "key": difference.key,
                "field": difference.field,
                "from": difference.before,
                "to": difference.after,
                "said": f"{difference.place}  {difference.said}",
            }
        )


class OutsideOutput(Output):
    """A plan outside the scope, excluded by a single bound, with its differences from the witness.

    Attributes:
        plan: the plan as an answer; null if the family's answer format cannot express it.
    """

    bound: str
    plan: Any
    differences: list[DifferenceOutput]


class OpenOutput(Output):
    """The undecided parts of a claim beyond the scope.

    Attributes:
        backends: back ends that found no proof of the claim with only the bounds in `leans_on`.
        bounds: bounds in `leans_on` that may be unnecessary.
        seconds: time limit of each search and of each proof; null without one.
        certified_seconds: time limit with which the task's certificate proves its claims beyond the scope; null
            if there is no such certificate.
    """

    backends: list[str]
    bounds: list[str]
    seconds: float | None
    certified_seconds: float | None = None


class UniqueOutput(ClaimOutput):
    """The claims on uniqueness, with a second plan if there is one.

    Attributes:
        scope: `within` if the status holds for plans in the task's scope, `beyond` if it holds for all plans.
        leans_on: bounds of the scope on which the status depends; empty if not requested.
        minimal: whether each of these bounds is known to be necessary for the status.
        outside: for each necessary bound, a plan that only this bound excludes.
        because_of: constraints and bounds of the scope that together imply that there is no other plan, or no plan. The
            list may not be minimal. Null if not requested.
        open: claims beyond the scope that were not decided in time; null if there are none or none were requested.
    """

    second: Any = None
    differences: list[DifferenceOutput] = []
    scope: Literal["within", "beyond"] = "within"
    leans_on: list[str] = []
    minimal: bool = True
    outside: list[OutsideOutput] = []
    because_of: list[str] | None = None
    open: OpenOutput | None = None


class ProofOutput(Output):
    """A proof that there is no other plan, or no plan: its file beside the certificate, and the refuted formula.

    Attributes:
        cnf_sha256: hash of the formula, as `planspec dimacs` writes it.
        map_sha256: hash of the formula's map, as `planspec dimacs` writes it.
        checked: whether this command checked the proof, without a solver.
    """

    file: str
    cnf_sha256: str
    map_sha256: str
    variables: int
    clauses: int
    steps: int
    prover: str
    checked: bool


class BestOutput(Output):
    """The claims for `unique_best`.

    These claims are about plans that satisfy every constraint, including soft ones, and that are the best of these by
    the task's objectives.

    Attributes:
        about: words for these plans, such as `with every soft constraint` or `the best plan`.
        feasible: whether there is such a plan.
        unique: whether there is only one such plan. Plans are compared in the fields of `unique` and `unique_best`. The
            status is `infeasible` if no plan in the scope satisfies every constraint.
        witness: a plan that satisfies every constraint, as an answer; null if there is none.
        proof: proof that there is no other such plan, or no such plan at all; null if not requested.
    """

    about: str
    feasible: ClaimOutput
    unique: UniqueOutput
    witness: Any = None
    proof: ProofOutput | None = None


class ReferenceOutput(Output):
    """The author's answer: whether there is one, whether the verifier accepts it, and otherwise its verdict."""

    present: bool
    accepted: bool
    verdict: SerializeAsAny[Verdict] | None = None


class ChangeOutput(Output):
    """The smallest change from an earlier turn's plan to a plan that satisfies this turn, and the resulting plan."""

    before: str = Field(alias="from", description="the last earlier turn with a plan")
    edits: list[DifferenceOutput]
    proved_smallest: bool
    status: Literal["changed", "unchanged", "infeasible", "unknown"]
    plan: Any = None


class ReadingDifferenceOutput(Output):
    """A plan that passes in one of two readings (interpretations) of a task and fails in the other.

    Attributes:
        reading: the other reading.
        passes: the reading in which the plan passes; null without such a plan.
        fails: the reading in which it fails.
        plan: the plan as an answer; null without one.
        refused: violations of the plan in the reading `fails`.
        same: whether both readings are proved to accept the same plans in scope; null if undecided.
    """

    reading: str
    passes: str | None = None
    fails: str | None = None
    plan: Any = None
    refused: list[Finding] = []
    same: bool | None = None


class ValidateOutput(Output):
    """Result of `validate` for one task or turn.

    Attributes:
        reading: reading of the suite in which the task was read; null for the task as written.
        expected: the author's expectation: `unique`, `feasible` or `infeasible`.
        as_expected: whether the proved claims match `expected`; null if undecided.
        best: claims about plans that satisfy every soft constraint; null for a task without `unique_best`.
        objectives: objective values of the reference (without one, of the best plan), compared with those of the best
            plan; empty for a task without objectives or without a plan.
        change: change from the previous plan; null if no earlier turn has a plan.
        proof: proof that there is no other plan, or no plan at all; null if not requested.
        by_certificate: whether the claims and proofs were read from the task's valid certificate, as `--resume`
            requires, instead of being proved again.
        disagreement: answers of back ends that contradict each other. The claims are then `unknown`.
        differences: plans on which this reading differs from earlier readings that have another result.
    """

    task: str
    reading: str | None = None
    feasible: ClaimOutput
    unique: UniqueOutput
    expected: Expectation
    as_expected: bool | None
    reference: ReferenceOutput
    witness: Any = None
    proof: ProofOutput | None = None
    best: BestOutput | None = None
    objectives: list[ObjectiveValue] = []
    change: ChangeOutput | None = None
    by_certificate: bool = False
    disagreement: list[OpinionOutput] = []
    differences: list[ReadingDifferenceOutput] = []


class TaskComparedOutput(Output):
    """Comparison of two versions of a task.

    Attributes:
        same: whether both accept the same plans; null if undecided.
        how: method that decided it, such as `text` or `solvers`.
        scope: scope of the proofs: `both` if the versions have equal scopes, `each` if each scope was searched.
        witness: plan that one version accepts and the other refuses, as an answer; null without one, or if
            the family's format cannot express it.
        rows: that plan as its tables.
        refused: violations of that plan in the other version.
        reasons: how the tables of the plans differ, or why nothing was decided.
        disagreement: answers of back ends that contradict each other. `same` is then null.
    """

    task: str
    same: bool | None
    how: Literal["text", "meaning", "solvers", "form", "reference", "witness", "none"]
    scope: Literal["both", "each"] | None
    backends: dict[str, BackendOutput]
    accepted_by: Literal["first", "second"] | None
    witness: Any
    rows: Any
    refused: list[Finding]
    reasons: list[str]
    disagreement: list[OpinionOutput] = []


class CompareOutput(Output):
    """Comparison of two versions of a suite.

    `only_first` and `only_second` have the ids of tasks that are in only one version.
    """

    first: str
    second: str
    tasks: list[TaskComparedOutput]
    only_first: list[str]
    only_second: list[str]


class CaseOutput(Output):
    """A judged case. `as_expected` is null if judging its answer takes too long."""

    task: str
    name: str
    source: SourcePlace
    status: Literal["pass", "fail", "undelivered"]
    as_expected: bool | None
    differences: list[CaseDifference]


class TestOutput(Output):
    """Results of the cases of several tasks.

    Attributes:
        without: number of tasks without cases.
        unjudged: number of tasks with errors, whose cases were not judged.
        coverage: coverage of each constraint; null if not requested.
        mutants: mutants of each constraint; null if not requested. A mutant that was not decided in time has `noticed`
            null.
        suggestions: suggested cases for the mutants that no case detects; null if not requested.
    """

    as_expected: bool | None
    cases: list[CaseOutput]
    without: int
    unjudged: int = 0
    coverage: list[ConstraintCoverage] | None
    mutants: list[MutantResult] | None
    suggestions: Suggestions | None = None

    @classmethod
    def of(cls, report: CaseReport) -> TestOutput:
        """Return a report as JSON output."""
        return cls(
            as_expected=report.as_expected,
            without=report.without,
            unjudged=report.unjudged,
            cases=[
                CaseOutput(
                    task=case.task,
                    name=case.name,
                    source=case.source,
                    status=case.status,
                    as_expected=case.as_expected,
                    differences=list(case.differences),
                )
                for case in report.cases
            ],
            coverage=None if report.coverage is None else list(report.coverage),
            mutants=None if report.mutants is None else list(report.mutants),
            suggestions=report.suggestions,
        )


class CertificateCheck(Output):
    """The result of checking a task's certificate.

    Attributes:
        reading: reading of the suite in which the task was read; null for the task as written.
        as_expected: whether a valid certificate claims what the task's author expects; null if this is undecided
            or the certificate is not valid.
        notes: remarks about a valid certificate.
        claims: the claims in the certificate, as text.
        proofs: proofs of these claims, in the same order.
    """

    task: str
    reading: str | None = None
    status: Literal["valid", "stale", "wrong", "missing"]
    as_expected: bool | None = None
    reasons: list[str]
    notes: list[str] = []
    claims: list[str] = []
    proofs: list[ProofOutput] = []


class DimacsOutput(Output):
    """The formula written by `dimacs`. Its models are the plans, except the witness if there is one.

    Attributes:
        status: `refuted` if it is proved to have no model, `satisfiable`, or `unknown`.
        steps: number of steps of the proof.
        reason: limit at which the search stopped, if the status is unknown.
        files: paths of the written files by extension.
    """

    task: str
    question: Literal["unique", "feasible"]
    status: Literal["refuted", "satisfiable", "unknown"]
    reason: Reason | None = None
    variables: int
    clauses: int
    steps: int | None
    cnf_sha256: str
    map_sha256: str
    files: dict[str, str]


OUTPUTS: dict[str, Any] = {
    "check-stages": CheckStagesOutput,
    "validate": list[ValidateOutput],
    "validate-check": list[CertificateCheck],
    "dimacs": DimacsOutput,
    "compare": CompareOutput,
    "test": TestOutput,
}
"""Pydantic models of the JSON output of commands, by name."""
