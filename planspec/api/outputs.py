"""The JSON documents of the command line, as models; `planspec schema output/NAME` prints their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SerializeAsAny

from planspec.api.cases.coverage import ConstraintCoverage
from planspec.api.cases.expectations import CaseDifference
from planspec.api.cases.mutation import MutantResult
from planspec.dsl.diagnostics.codes import Code
from planspec.dsl.diagnostics.rendering import DiagnosticJson
from planspec.families.family import Lazy
from planspec.families.registry import families
from planspec.verifiers.meaning.differences import PlanDifference
from planspec.verifiers.meaning.verdict import Finding, MetricValue, SourcePlace, Tally, Verdict
from planspec.verifiers.official.protocol import ProfileDifference

if TYPE_CHECKING:
    from planspec.api.cases.testing import CaseReport
    from planspec.families.suite_writing.folder import ImportResult


class Output(BaseModel):
    """The base of all output documents."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, serialize_by_alias=True)


class TaskEntry(Output):
    """A task of `tasks list`."""

    id: str
    family: str | None
    suite: str | None
    title: str


class TableShownOutput(Output):
    """A table of the plan, its columns with their types, and how many rows the task's scope has for it."""

    table: str
    columns: dict[str, str]
    scope_rows: int


class RuleOutput(Output):
    """An instance of a constraint that applies to the task."""

    constraint: str
    level: Literal["hard", "soft"]
    kind: str | None
    rule: str
    file: str
    line: int


class TaskShownOutput(TaskEntry):
    """One task of `tasks show`."""

    file: str
    queries: list[str]
    givens: dict[str, str]
    constraints: list[RuleOutput]
    plan: list[TableShownOutput]


class ToolShownOutput(Output):
    """A tool of `tasks view`; `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


class ViewOutput(Output):
    """Everything that an agent gets of a task at a turn, the last unless another one is named.

    `calls`: the most that have a result, or null. `materials`: texts by title. `images`: the titles of pictures. `answer`: the
    JSON Schema of answers, or null.
    """

    task: str
    setting: str
    queries: list[str]
    brief: str
    materials: dict[str, str]
    images: list[str]
    calls: int | None
    tools: list[ToolShownOutput]
    answer: dict[str, Any] | None


class AgentOptionOutput(Output):
    """An option of an agent; one without a default must be given."""

    name: str
    default: str | None


class AgentOutput(Output):
    """An agent of `agents`: what it does, and its options; `missing` says which extra it needs that is not installed."""

    name: str
    does: str
    options: list[AgentOptionOutput]
    missing: str | None = None


class DocsPageOutput(Output):
    """A page of the documentation, with its Markdown where one page was asked for."""

    page: str
    title: str
    path: str
    text: str | None = None


class CodeOutput(Output):
    """A diagnostic as `explain` tells it: what it means, and an example, wrong and right."""

    code: str
    slug: str
    why: str
    wrong: str
    right: str

    @classmethod
    def of(cls, code: Code) -> CodeOutput:
        """A code of the table as JSON."""
        return cls(code=code.code, slug=code.slug, why=code.why, wrong=code.wrong, right=code.right)


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
    reason: Literal["time", "memory"] | None = None


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


class TaskComparedOutput(Output):
    """Two versions of a task: whether both accept the same plans (null: undecided), and what decided it.

    `witness`: a plan that one version accepts and the other refuses, as an answer; null without one, and where no answer of
    the family says it. `rows`: the same as the plan's tables. `refused`: what the other version finds violated in it.
    `scope`: of what back ends proved: both versions have one, or each was searched. `reasons`: how the forms of plans
    differ, or why nothing was decided.
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
    reason: Literal["time", "memory"] | None = None
    variables: int
    clauses: int
    steps: int | None
    cnf_sha256: str
    map_sha256: str
    files: dict[str, str]


class SoftOutput(Output):
    """Weight of soft constraints."""

    satisfied: int
    total: int


class ObjectiveOutput(Output):
    """The value of an objective, and what no plan can beat that is the best by the objectives before it."""

    objective: int | float | None
    bound: int | float | None


class SolveOutput(Output):
    """The result of `solve`. `objective` and `bound` are in the unit inside (minutes, minor units, metres).

    They are those of the first objective; `objectives` has those of each, in order.
    `reason` is the limit that was reached before everything was proved. `proof`: that no plan in scope is better, if it was asked for.
    """

    task: str
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    plan: Any
    objective: int | float | None
    bound: int | float | None
    objectives: list[ObjectiveOutput]
    soft: SoftOutput
    backend: str
    seconds: float
    reason: Literal["time", "memory"] | None = None
    proof: ProofOutput | None = None


class FailureOutput(Output):
    """The number of attempts that failed at a boundary, and the first message, with the line of the program where there is one."""

    boundary: str
    attempts: int
    task: str
    message: str
    place: str | None = None


class RunOutput(Output):
    """`run`: where its records are, the family's metrics, attempts by status, and what failed.

    `stopped` says why the run was stopped before its end; null where it was not. `usd` is what requests to models cost; null where
    a price, or the tokens of an attempt, are not known.
    """

    run: str
    name: str | None = None
    suite: str
    agent: str
    metrics: dict[str, Any]
    attempts: dict[str, int] = {}
    failures: list[FailureOutput] = []
    usd: float | None = None
    stopped: str | None = None


class RoleRewardOutput(Output):
    """What one trajectory of a role earned: its `round` of bargaining, its place in the trace's stages, the terms of the reward.

    `advantage` is null in a group of one.
    """

    task: str
    repeat: int
    role: str
    round: int | None
    stage: int | None
    reward: float
    advantage: float | None
    terms: dict[str, float]


class RewardGroupOutput(Output):
    """What one role earned at one task over all repeats."""

    task: str
    role: str
    size: int
    mean: float
    std: float


class RewardsOutput(Output):
    """`rewards`: of each trajectory, their groups, and how many attempts failed at the provider and are left out."""

    run: str
    rewards: list[RoleRewardOutput]
    groups: list[RewardGroupOutput]
    unserved: int


class RowsOutput(Output):
    """`export rows`: the file, which table it holds, and how many rows."""

    file: str
    table: Literal["tasks", "attempts", "findings", "calls", "messages", "generations", "conversations"]
    rows: int


class HarborOutput(Output):
    """`export harbor`: the folder, and the tasks, each in a folder of its id."""

    folder: str
    tasks: list[str]


class OrsOutput(Output):
    """`export ors`: the folder of the server, and the tasks that it serves."""

    folder: str
    tasks: list[str]


class SubmissionOutput(Output):
    """`export submission`: the file, its records, and the tasks without an attempt."""

    file: str
    records: int
    missing: list[str]


class TableOutput(Output):
    """`export table`: the file, its rows and columns, and what the columns cannot say by the number of tasks that have it."""

    file: str
    rows: int
    columns: list[str]
    unsaid: dict[str, int]


class MovedConstraintOutput(Output):
    """A constraint that is violated before or now and not both: its status in each (null: it was not there)."""

    constraint: str
    level: Literal["hard", "soft", "shape"]
    before: Literal["satisfied", "violated", "not-applicable"] | None
    after: Literal["satisfied", "violated", "not-applicable"] | None
    message: str


class MovedVerdictOutput(Output):
    """An attempt whose verdict moved, and the constraints that moved with it."""

    task: str
    repeat: int
    before: Literal["pass", "fail", "undelivered"]
    after: Literal["pass", "fail", "undelivered"]
    because: list[MovedConstraintOutput]


class RescoredMetricsOutput(Output):
    """The family's metrics before and now; those before are null where their suite is not there any more."""

    before: dict[str, JsonValue] | None
    after: dict[str, JsonValue]


class RescoreOutput(Output):
    """A run judged again: the folder of the new verdicts, what moved, and tasks that only the run or the suite has."""

    run: str
    out: str
    suite: str
    attempts: int
    moved: list[MovedVerdictOutput]
    metrics: RescoredMetricsOutput
    gone: list[str]
    added: list[str]


class ScoreOutput(Output):
    """The scores of many answers."""

    suite: str
    profile: str
    metrics: dict[str, JsonValue]
    plans: list[SerializeAsAny[Verdict]]
    unread: list[str] = Field(
        default_factory=list,
        description="lines that cannot be read and do not say their task, and why; their tasks count as undelivered",
    )


class ManyScoresOutput(Output):
    """The scores of many answers to each task, `score --many`: pass@k, pass^k, best and majority.

    `metrics`: `n` answers that count, `tasks` times `samples`; of them `delivered` and `missing` ones; `plans` that differ;
    then the metrics. `intervals`: of 95 per cent over tasks, null where none is known. `unread`: lines that cannot be read
    and do not say their task, the first hundred, and why; `unjudged`: answers that nobody can judge, likewise.
    """

    suite: str
    profile: str
    metrics: dict[str, int | float | None]
    intervals: dict[str, tuple[float, float] | None]
    unread: list[str]
    unjudged: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutput:
    """One of many answers to a task: a line of `score --many --out`. With `--details` it has all that a verdict has, too.

    `plan`: equal for answers with the same plan; null where nothing was delivered. `violated`: hard and soft instances.
    `unread`: faults of the plan's shape. `reason`: why nothing was delivered, or nobody could judge it. `task` is null where a line cannot be read and
    does not say it.
    """

    task: str | None
    sample: int | None
    line: int
    status: Literal["pass", "fail", "undelivered"]
    hard: Tally
    soft: Tally
    plan: str | None
    violated: tuple[str, ...]
    unread: int
    reason: str | None
    profile: str | None = None
    metrics: dict[str, MetricValue] | None = None
    in_scope: bool | None = None
    findings: tuple[Finding, ...] | None = None


class AmountOutput(Output):
    """The amount by which a member of a way out has to give.

    `by` is in `unit` as margins are; `stated` is what the task has, and `needed` what would do, as people write it; null
    where both sides of the comparison depend on the plan. Unless `proved` less may do.
    """

    member: str
    by: int | str
    unit: str
    proved: bool
    stated: str | None
    needed: str | None


class RelaxationOutput(Output):
    """Rules and bounds without which there is a plan; `amounts` of comparisons by order and of ranges."""

    drop: list[str]
    weight: int
    amounts: list[AmountOutput] = []


class MemberOutput(Output):
    """A rule or bound: what it says, and what a violation of it says where that is the same for every plan."""

    text: str
    message: str | None
    level: Literal["hard", "bound", "background"]
    file: str
    line: int


class ConflictProofOutput(Output):
    """A proof, checked, that the members of a conflict cannot hold together: its steps, and the members whose clauses it uses."""

    steps: int
    uses: list[str]


class WhyOutput(Output):
    """Why a task has no plan. `complete`: there are no other minimal conflicts. `proofs`: of each conflict in order, if they were asked for.

    `relaxed`: all cheapest relaxations are there. `core`: members among which the conflict is, where no minimal one was proved in time. `members`: what each id means.
    """

    task: str
    status: Literal["infeasible", "feasible", "unknown"]
    mus: list[list[str]]
    complete: bool
    relaxations: list[RelaxationOutput]
    relaxed: bool = False
    core: list[str] = []
    members: dict[str, MemberOutput] = {}
    proofs: list[ConflictProofOutput] = []


class RepairOutput(Output):
    """The nearest plan that satisfies every hard constraint, and what leads to it from the answer."""

    task: str
    status: Literal["repaired", "already-valid", "infeasible", "unknown"]
    edits: list[DifferenceOutput]
    proved_smallest: bool
    plan: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOutput(Verdict):
    """A verdict, with what else was asked for; what was not is absent.

    `differences`: why the profiles `strict` and `official` part, for each rule in which they do.
    """

    differences: tuple[ProfileDifference, ...] | None = None
    repair: RepairOutput | None = None


class RemovedOutput(Output):
    """A row of facts that is left out: the cells that tell it from others."""

    table: str
    row: dict[str, Any]


class TightenOutput(Output):
    """The rows that were left out so that the plan to keep is the only one.

    `free`: where it is impossible, how a plan that stays, or goes only with the one to keep, differs from that.
    """

    task: str
    status: Literal["tightened", "already-unique", "impossible", "unknown"]
    removed: list[RemovedOutput]
    proved_smallest: bool
    unique: UniqueOutput | None
    free: list[DifferenceOutput] = []


class CountOutput(Output):
    """The number of plans; a lower bound unless `exact`."""

    count: int
    exact: bool


class BackboneOutput(Output):
    """The number of open fields that are equal in every plan; an upper bound unless `complete`."""

    fixed: int
    open: int
    share: float | None
    complete: bool


class SlackOutput(Output):
    """The hard constraint that the plan satisfies most narrowly, of those measured in one unit."""

    constraint: str
    margin: int | str
    unit: str | None


class GreedyOutput(Output):
    """The run of a greedy strategy in a table: `settled` of `rows` until no plan was left."""

    strategy: str
    table: str
    settled: int
    rows: int
    end: Literal["through", "stuck", "unknown"]


class DifficultyOutput(Output):
    """The difficulty of a task. `search`: CP-SAT's effort for a plan and for what uniqueness asks.

    `anchors`: rows in scope with a time that a hard constraint looks up in facts, such as booked starts. `hard` and `soft`:
    instances that apply; `total`: of both.
    """

    task: str
    status: Literal["feasible", "infeasible", "unknown"]
    solutions: CountOutput | None
    backbone: BackboneOutput | None
    slack: list[SlackOutput]
    anchors: int
    hard: int
    soft: int
    total: int
    search: dict[str, int | float]
    greedy: list[GreedyOutput]
    finished: bool


class TableCountOutput(Output):
    """The account of a public table's rows; `noted` rows are kept."""

    table: str
    read: int
    kept: int
    repeated: int
    dropped: dict[str, int]
    noted: dict[str, int]


class LeftOutOutput(Output):
    """A line of a file that made no task, and why."""

    file: str
    line: int
    reason: str


class ImportOutput(Output):
    """The result of an import from a public data set."""

    family: str
    suite: str
    folder: str
    tables: list[TableCountOutput]
    tasks: list[str]
    left_out: list[LeftOutOutput]

    @classmethod
    def of(cls, family: str, made: ImportResult) -> ImportOutput:
        """An import as JSON."""
        return cls(
            family=family, suite=made.suite, folder=str(made.folder),
            tables=[TableCountOutput(
                    table=count.table, read=count.read, kept=count.kept, repeated=count.repeated,
                    dropped=dict(count.dropped), noted=dict(count.noted),
                ) for count in made.tables],
            tasks=list(made.tasks),
            left_out=[LeftOutOutput.model_validate(asdict(left)) for left in made.left_out],
        )  # fmt: skip


class TourOutput(Output):
    """A shortest tour. Nodes are names, or numbers from 1; `length` is null where none was found."""

    n: int
    length: int | None
    bound: int
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    tour: list[int | str]
    method: str


OUTPUTS: dict[str, Any] = {
    "check": list[DiagnosticJson],
    "check-stages": CheckStagesOutput,
    "explain": CodeOutput | list[CodeOutput],
    "docs": DocsPageOutput | list[DocsPageOutput],
    "tasks": list[TaskEntry],
    "tasks-show": TaskShownOutput,
    "tasks-view": ViewOutput,
    "verify": VerifyOutput,
    "run": RunOutput,
    "agents": list[AgentOutput],
    "rescore": RescoreOutput,
    "rewards": RewardsOutput,
    "score": ScoreOutput,
    "score-many": ManyScoresOutput,
    "sample": SampleOutput,
    "solve": SolveOutput,
    "validate": list[ValidateOutput],
    "validate-check": list[CertificateCheck],
    "dimacs": DimacsOutput,
    "compare": CompareOutput,
    "test": TestOutput,
    "why": WhyOutput | list[WhyOutput],
    "repair": RepairOutput,
    "tighten": TightenOutput | list[TightenOutput],
    "difficulty": list[DifficultyOutput],
    "tour": TourOutput,
    "import": ImportOutput,
    "export-rows": RowsOutput,
    "export-harbor": HarborOutput,
    "export-ors": OrsOutput,
    "export-submission": SubmissionOutput,
    "export-table": TableOutput,
}

RECORDS: Mapping[str, Lazy[Any]] = {
    "trace": Lazy("planspec.traces.record:Trace"),
    "run": Lazy("planspec.runs.record:Run"),
    "attempt": Lazy("planspec.runs.record:Attempt"),
    "output/report": Lazy("planspec.report.output:ReportOutput"),
    "output/score-traces": Lazy("planspec.traces.metrics:TraceScores"),
}
"""Files besides documents by the models of their lines, and outputs of what stands higher than their list."""


def records() -> Mapping[str, Lazy[Any]]:
    """The same, with those of the families."""
    own = {name: model for family in families() for name, model in family.schemas.items()}
    return {**RECORDS, **own}
