"""Output models on tasks: diagnostics, claims and their proofs, cases, and comparisons."""

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
    """Type and stage of a definition, constraint or domain: one line of `check --stages`."""

    stage: str
    kind: str
    name: str
    type: str
    optional: bool
    file: str
    line: int


class CheckStagesOutput(Output):
    """`check --stages`: diagnostics, and the type and stage of everything in tasks without errors."""

    diagnostics: list[DiagnosticJson]
    stages: list[StageOutput]


class BackendOutput(Output):
    """The claim of one back end; `reason` is the limit that it reached if undecided."""

    status: str
    seconds: float
    reason: Reason | None = None


class OpinionOutput(Output):
    """The answer of a back end that contradicts another: its status, and the plan or bound that it claims.

    `bound` belongs to the first objective, in the unit of `solve`.
    """

    by: str
    status: str
    plan: Any = None
    bound: int | float | None = None


class ClaimOutput(Output):
    """The claims of all back ends that were run."""

    status: str
    backends: dict[str, BackendOutput]


class DifferenceOutput(Output):
    """A field that differs between two plans, or a row that only one has (then `field` is null)."""

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
                "table": difference.table, "key": difference.key, "field": difference.field,
                "from": difference.before, "to": difference.after, "said": f"{difference.place}  {difference.said}",
            }
        )  # fmt: skip


class OutsideOutput(Output):
    """A plan outside the scope that one bound alone excludes, with its differences from the witness.

    `plan` is null if the family's answer format cannot express it.
    """

    bound: str
    plan: Any
    differences: list[DifferenceOutput]


class UniqueOutput(ClaimOutput):
    """The claims on uniqueness, with the second plan if there is one.

    `scope`: whether the status holds for plans within the task's scope, or beyond it too. `leans_on`: bounds
    of the scope with which it holds, and without any one of which (if `minimal`) it does not; empty if not
    requested. `outside`: plans that show this. `because_of`: constraints and bounds of the scope that imply
    that there is no other plan, or none; sufficient, though not minimal; null if not requested.
    """

    second: Any = None
    differences: list[DifferenceOutput] = []
    scope: Literal["within", "beyond"] = "within"
    leans_on: list[str] = []
    minimal: bool = True
    outside: list[OutsideOutput] = []
    because_of: list[str] | None = None


class ProofOutput(Output):
    """A proof that there is no other plan, or none: its file beside the certificate, and the refuted formula.

    `cnf_sha256` and `map_sha256` are hashes of the formula in DIMACS and of its map, as `planspec dimacs`
    writes them. `checked`: whether the proof was checked now, without a solver.
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
    """The claims about plans that also satisfy every soft constraint: whether there is one, and only one.

    `unique` compares the fields of `unique_best` besides those of `unique`; it is `infeasible` if no plan in
    the scope satisfies every constraint.
    """

    feasible: ClaimOutput
    unique: UniqueOutput
    witness: Any = None
    proof: ProofOutput | None = None


class ReferenceOutput(Output):
    """The author's answer: whether there is one, whether the verifier accepts it, and its verdict if not."""

    present: bool
    accepted: bool
    verdict: SerializeAsAny[Verdict] | None = None


class ChangeOutput(Output):
    """The least change from an earlier turn's plan to one that satisfies a turn, and the resulting plan."""

    before: str = Field(alias="from", description="the last earlier turn with a plan")
    edits: list[DifferenceOutput]
    proved_smallest: bool
    status: Literal["changed", "unchanged", "infeasible", "unknown"]
    plan: Any = None


class ValidateOutput(Output):
    """One task of `validate`, or one turn of a task.

    `best` is null for a task without `unique_best`. `change` is null for a task without turns, and up to the
    first turn with a plan. `proof`: a proof that there is no other plan, or none, if requested.
    `by_certificate`: whether the claims and proofs are those of the task's valid certificate, as `--resume`
    requires, without a new proof. `disagreement`: answers of back ends that contradict each other; the claims
    are then `unknown`.
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
    """Two versions of a task: whether both accept the same plans (null if undecided), and how decided.

    `witness`: a plan that one version accepts and the other refuses, as an answer; null without one, or if
    the family's format cannot express it. `rows`: that plan as its tables. `refused`: violations that the
    other version finds in it. `scope`: scope of the proofs, `both` if the versions share one, `each` if each
    was searched. `reasons`: how the forms of plans differ, or why nothing was decided. `disagreement`:
    answers of back ends that contradict each other; `same` is then null.
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
    """Two versions of a suite; `only_first` and `only_second` are ids of tasks in one version only."""

    first: str
    second: str
    tasks: list[TaskComparedOutput]
    only_first: list[str]
    only_second: list[str]


class CaseOutput(Output):
    """A judged case; `as_expected` is null if its answer takes too long to judge."""

    task: str
    name: str
    source: SourcePlace
    status: Literal["pass", "fail", "undelivered"]
    as_expected: bool | None
    differences: list[CaseDifference]


class TestOutput(Output):
    """The cases of several tasks; `without` counts tasks without cases, `unjudged` tasks with errors.

    `coverage` and `mutants` are null if not requested. `noticed` is null if undecided in time.
    """

    as_expected: bool | None
    cases: list[CaseOutput]
    without: int
    unjudged: int = 0
    coverage: list[ConstraintCoverage] | None
    mutants: list[MutantResult] | None

    @classmethod
    def of(cls, report: CaseReport) -> TestOutput:
        """Return a report as JSON output."""
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
    """The result of checking a task's certificate.

    `notes`: remarks on a valid certificate; `claims`: its claims as text; `proofs`: their proofs, in order.
    """

    task: str
    status: Literal["valid", "stale", "wrong", "missing"]
    reasons: list[str]
    notes: list[str] = []
    claims: list[str] = []
    proofs: list[ProofOutput] = []


class DimacsOutput(Output):
    """The formula of a question, from `dimacs`: its models are plans (for `unique`, not the witness).

    `status`: `refuted` (no model, proved in `steps` steps), `satisfiable`, or `unknown` for the given
    `reason`. `files`: the files by extension.
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
