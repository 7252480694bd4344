"""Registry of the models of the command line's JSON documents; `planspec schema output/NAME` prints their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec.api.outputs import answers, audits, claims, explanations, imports, runs, shown
from planspec.dsl.diagnostics.rendering import DiagnosticJson
from planspec.family.descriptor import Lazy, Part
from planspec.family.registry import families

OUTPUTS: dict[str, Any] = {
    "check": list[DiagnosticJson],
    **claims.OUTPUTS,
    **shown.OUTPUTS,
    **answers.OUTPUTS,
    **runs.OUTPUTS,
    **audits.OUTPUTS,
    **explanations.OUTPUTS,
    **imports.OUTPUTS,
}
"""Pydantic models of the JSON output of commands, by name. They are collected from the modules of models."""

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
"""Models for the lines of record files, and for outputs that higher layers define."""
SCHEMAS: Part[Mapping[str, Lazy[Any]]] = Part("schemas", {})
"""Models of a family's files and outputs, by the name used in `planspec schema`."""


def records() -> Mapping[str, Lazy[Any]]:
    """Return the models in `RECORDS` and the families' own models, by name."""
    own = {name: model for family in families() for name, model in SCHEMAS.of(family).items()}
    return {**RECORDS, **own}
