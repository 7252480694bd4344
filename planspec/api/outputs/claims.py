"""What is found of tasks: mistakes, claims and their proofs, cases, and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, SerializeAsAny

from planspec.api.cases.coverage import ConstraintCoverage
from planspec.api.cases.expectations import CaseDifference
from planspec.api.cases.mutation import MutantResult
from planspec.api.outputs.base import Output
from planspec.dsl.diagnostics.rendering import DiagnosticJson
from planspec.errors import Reason
from planspec.verifiers.meaning.differences import PlanDifference
from planspec.verifiers.meaning.verdict import Finding, SourcePlace, Verdict

if TYPE_CHECKING:
    from planspec.api.cases.testing import CaseReport


class StageOutput(Output):
    """The type and stage of a definition, rule or domain: one line of `check --stages`."""

    stage: str
    kind: str
    name: str
    type: str
    optional: bool
    file: str
    line: int


class CheckStagesOutput(Output):
    """`check --stages`: what is wrong, and the type and stage of everything in tasks without errors."""

    diagnostics: list[DiagnosticJson]
    stages: list[StageOutput]


class BackendOutput(Output):
    """The claim of one back end; `reason` is the limit that it reached if it is undecided."""

    status: str
    seconds: float
    reason: Reason | None = None


class OpinionOutput(Output):
    """The answer of one back end, where two contradict each other: its status, and the plan or bound that it claims.

    `bound` is of the first objective, in the unit of `solve`.
    """

    by: str
    status: str
    plan: Any = None
    bound: int | float | None = None


class ClaimOutput(Output):
    """The claims of every asked back end."""

    status: str
    backends: dict[str, BackendOutput]


class DifferenceOutput(Output):
    """A field that differs between two plans, or a row that only one has (then `field` is null)."""

    table: str
    key: str | None
    field: str | None
    before: Any = Field(alias="from")
    after: Any = Field(alias="to")
    said: str = Field(default="", exclude=True)  # the same for people

    @classmethod
    def of(cls, difference: PlanDifference) -> DifferenceOutput:
        """A difference as JSON."""
        return cls.model_validate(
            {
                "table": difference.table, "key": difference.key, "field": difference.field,
                "from": difference.before, "to": difference.after, "said": f"{difference.place}  {difference.said}",
            }
        )  # fmt: skip


class OutsideOutput(Output):
    """A plan outside the scope that a bound keeps out: what that bound is, and how the plan differs from the witness.

    `plan` is null where the family's answers cannot say it.
    """

    bound: str
    plan: Any
    differences: list[DifferenceOutput]


class UniqueOutput(ClaimOutput):
    """The same of uniqueness, with the second plan where there is one.

    `scope`: whether the status holds of plans within the task's scope, or of what lies beyond it, too. `leans_on`:
    bounds of the scope with which it holds and without any of which (if `minimal`) it does not; empty where
    nobody asked. `outside`: what shows that. `because_of`: constraints, and bounds of the scope, from which it follows that there is no
    other plan, or none: they are enough, and not the least; null where nobody asked.
    """

    second: Any = None
    differences: list[DifferenceOutput] = []
    scope: Literal["within", "beyond"] = "within"
    leans_on: list[str] = []
    minimal: bool = True
    outside: list[OutsideOutput] = []
    because_of: list[str] | None = None


class ProofOutput(Output):
    """A proof that there is no other plan, or none: its file beside the certificate, and the formula that it refutes.

    `cnf_sha256` and `map_sha256` are of the formula in DIMACS and of its map, as `planspec dimacs` writes them. `checked`: the proof
    was checked now, without a solver.
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
    """The claims about plans that keep every soft constraint, too: whether there is one, and whether its fields have one value.

    `unique` compares the fields of `unique_best` besides those of `unique`; it is `infeasible` where no plan in the scope
    keeps every constraint.
    """

    feasible: ClaimOutput
    unique: UniqueOutput
    witness: Any = None
    proof: ProofOutput | None = None


class ReferenceOutput(Output):
    """The author's answer: whether there is one, whether the verifier accepts it, and if not, its verdict."""

    present: bool
    accepted: bool
    verdict: SerializeAsAny[Verdict] | None = None


class ChangeOutput(Output):
    """The least change of an earlier turn's plan that satisfies a turn, and the plan that it leads to."""

    before: str = Field(alias="from", description="the last turn before that had a plan")
    edits: list[DifferenceOutput]
    proved_smallest: bool
    status: Literal["changed", "unchanged", "infeasible", "unknown"]
    plan: Any = None


class ValidateOutput(Output):
    """One task of `validate`, or one turn of a task.

    `best` is null for a task without `unique_best`. `change` is null for a task without turns, for the first turn that has
    a plan, and before it. `proof`: that there is no other plan, or none, where it was asked for. `by_certificate`:
    the claims and proofs are those of the task's valid certificate, as `--resume` asks; nothing was proved again.
    `disagreement`: the answers of back ends that contradict each other; the claims are `unknown` then.
    """

    task: str
    feasible: ClaimOutput
    unique: UniqueOutput
    reference: ReferenceOutput
    witness: Any = None
    proof: ProofOutput | None = None
    best: BestOutput | None = None
    change: ChangeOutput | None = None
    by_certificate: bool = False
    disagreement: list[OpinionOutput] = []


class TaskComparedOutput(Output):
    """Two versions of a task: whether both accept the same plans (null: undecided), and what decided it.

    `witness`: a plan that one version accepts and the other refuses, as an answer; null without one, and where no answer of
    the family says it. `rows`: the same as the plan's tables. `refused`: what the other version finds violated in it.
    `scope`: of what back ends proved: both versions have one, or each was searched. `reasons`: how the forms of plans
    differ, or why nothing was decided. `disagreement`: the answers of back ends that contradict each other; `same` is null then.
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
    """Two versions of a suite, task by task; `only_first` and `only_second` are ids of tasks that one alone has."""

    first: str
    second: str
    tasks: list[TaskComparedOutput]
    only_first: list[str]
    only_second: list[str]


class CaseOutput(Output):
    """A case, judged: `as_expected` is null where its answer takes too long to judge."""

    task: str
    name: str
    source: SourcePlace
    status: Literal["pass", "fail", "undelivered"]
    as_expected: bool | None
    differences: list[CaseDifference]


class TestOutput(Output):
    """The cases of some tasks; `without` counts tasks that have none, `unjudged` those that could not be judged, as they have errors.

    `coverage` and `mutants` are null where they were not asked for. `noticed` is null where that was not decided in time.
    """

    as_expected: bool | None
    cases: list[CaseOutput]
    without: int
    unjudged: int = 0
    coverage: list[ConstraintCoverage] | None
    mutants: list[MutantResult] | None

    @classmethod
    def of(cls, report: CaseReport) -> TestOutput:
        """A report as JSON."""
        return cls(
            as_expected=report.as_expected, without=report.without, unjudged=report.unjudged,
            cases=[CaseOutput(
                    task=case.task, name=case.name, source=case.source, status=case.status,
                    as_expected=case.as_expected, differences=list(case.differences),
                ) for case in report.cases],
            coverage=None if report.coverage is None else list(report.coverage),
            mutants=None if report.mutants is None else list(report.mutants),
        )  # fmt: skip


class CertificateCheck(Output):
    """The check of a task's certificate.

    `notes`: remarks on a valid one; `claims`: what a valid one claims, for people; `proofs`: of these claims, in order.
    """

    task: str
    status: Literal["valid", "stale", "wrong", "missing"]
    reasons: list[str]
    notes: list[str] = []
    claims: list[str] = []
    proofs: list[ProofOutput] = []


class DimacsOutput(Output):
    """The formula of a question, as `dimacs` writes it: its models are plans, other than the witness where the question is `unique`.

    `status`: `refuted` (it has no model, and there is a proof of `steps` steps), `satisfiable`, or `unknown`, for the `reason` given.
    `files`: by their endings.
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
