"""Registry of the command line's JSON documents; `planspec schema output/NAME` prints their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec.api.outputs.answers import (
    ManyScoresOutput,
    ReadingScoresOutput,
    SampleOutput,
    ScoreOutput,
    SolveOutput,
    VerifyOutput,
)
from planspec.api.outputs.audits import AuditOutput
from planspec.api.outputs.claims import (
    CertificateCheck,
    CheckStagesOutput,
    CompareOutput,
    DimacsOutput,
    TestOutput,
    ValidateOutput,
)
from planspec.api.outputs.explanations import DifficultyOutput, RepairOutput, TightenOutput, WhyOutput
from planspec.api.outputs.imports import ImportOutput, TourOutput
from planspec.api.outputs.runs import (
    DatasetOutput,
    HarborOutput,
    OrsOutput,
    RescoreOutput,
    RewardsOutput,
    RowsOutput,
    RunOutput,
    SubmissionOutput,
    TableOutput,
)
from planspec.api.outputs.shown import (
    AgentOutput,
    CodeOutput,
    DocsPageOutput,
    RequestOutput,
    TaskEntry,
    TaskShownOutput,
    ViewOutput,
)
from planspec.dsl.diagnostics.rendering import DiagnosticJson
from planspec.family.descriptor import Lazy, Part
from planspec.family.registry import families

OUTPUTS: dict[str, Any] = {
    "check": list[DiagnosticJson],
    "check-stages": CheckStagesOutput,
    "explain": CodeOutput | list[CodeOutput],
    "docs": DocsPageOutput | list[DocsPageOutput],
    "tasks": list[TaskEntry],
    "tasks-show": TaskShownOutput,
    "tasks-view": ViewOutput,
    "request": RequestOutput,
    "verify": VerifyOutput,
    "run": RunOutput,
    "agents": list[AgentOutput],
    "rescore": RescoreOutput,
    "rewards": RewardsOutput,
    "score": ScoreOutput,
    "score-many": ManyScoresOutput,
    "score-readings": ReadingScoresOutput,
    "sample": SampleOutput,
    "solve": SolveOutput,
    "validate": list[ValidateOutput],
    "validate-check": list[CertificateCheck],
    "audit": AuditOutput,
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
    "export-dataset": DatasetOutput,
    "export-harbor": HarborOutput,
    "export-ors": OrsOutput,
    "export-submission": SubmissionOutput,
    "export-table": TableOutput,
}

RECORDS: Mapping[str, Lazy[Any]] = {
    "trace": Lazy("planspec.traces.record:Trace"),
    "run": Lazy("planspec.runs.record:Run"),
    "attempt": Lazy("planspec.runs.record:Attempt"),
    "task-audit": Lazy("planspec.api.outputs.audits:TaskAudit"),
    "output/report": Lazy("planspec.report.output:ReportOutput"),
    "output/draft": Lazy("planspec.drafting.output:DraftOutput"),
    "output/draft-check": Lazy("planspec.drafting.output:DraftCheckOutput"),
    "output/draft-paraphrase": Lazy("planspec.drafting.output:ParaphrasesOutput"),
    "output/import-cpmpy": Lazy("planspec.foreign_models.output:ModelImportOutput"),
    "output/audit-scorer": Lazy("planspec.foreign_scorers.audit:ScorerAudit"),
    "output/score-traces": Lazy("planspec.traces.metrics:TraceScores"),
}
"""Models of the lines of record files, and of outputs that higher layers define."""
SCHEMAS: Part[Mapping[str, Lazy[Any]]] = Part("schemas", {})
"""Models of a family's files and outputs, by the name for `planspec schema`."""


def records() -> Mapping[str, Lazy[Any]]:
    """Return the models of `RECORDS` and those of the families."""
    own = {name: model for family in families() for name, model in SCHEMAS.of(family).items()}
    return {**RECORDS, **own}
