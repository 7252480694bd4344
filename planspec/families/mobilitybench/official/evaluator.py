"""The metrics of MobilityBench's public toolkit, including its quirks, for comparison with published numbers.

They reproduce AMAP-ML/MobilityBench at commit da07a8c, without DEC. The strict profile has metrics with the intended
meaning. Undocumented behaviour was inferred from the toolkit's results. For example, an answer about the
length or time of a trip is recognised by ten words, among them `米`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.families.mobilitybench.official.answer import (
    AnswerReading,
    CaseDroppedError,
    score_delivery,
    score_final_pass,
)
from planspec.families.mobilitybench.official.instruction import information_extraction, intent_detection
from planspec.families.mobilitybench.official.similarity import (
    SimilarityMeasure,
    equal_texts,
    shared_characters,
)
from planspec.families.mobilitybench.official.tools import schema_compliance, tool_selection
from planspec.families.mobilitybench.official.truth import Truth, scenario_of, truth_of, truths_of
from planspec.traces.record import Trace

METRICS: Mapping[str, tuple[str, ...]] = {
    "instruction": ("ID", "IE"),
    "tool": ("TS_P", "TS_R", "SC"),
    "answer": ("DR", "FPR"),
    "efficiency": ("IT", "OT"),
}
"""Names of the numbers in a result row, for each of the toolkit's metrics."""
STAGES = ("planner", "worker", "reporter")
NO_PLAN = "the run has no plan"
NO_CALL = "the run calls no tool"
NO_TOOLS = "the standard program has no tools"
NO_ANSWER = "the run has no answer"


@dataclass(frozen=True, slots=True)
class CaseScores:
    """The toolkit's scores of one run.

    Attributes:
        case: id of the case.
        scenario: scenario in the table.
        family: family in the table.
        rows: numbers in the result row of each metric, by metric.
        missing: reasons why metrics have no result row, by metric.
        failed: metrics in which the toolkit stops with an exception. They are also in `missing`.
    """

    case: str
    scenario: str
    family: str
    rows: Mapping[str, Mapping[str, float]]
    missing: Mapping[str, str] = field(default_factory=dict)
    failed: tuple[str, ...] = ()


def score(truth: Truth, trace: Trace, measure: SimilarityMeasure = shared_characters) -> CaseScores:
    """Compute the toolkit's scores of one run.

    Args:
        truth: ground truth of the case.
        trace: the run. If it has stages, their names are in `STAGES`.
        measure: similarity of two texts if neither contains the other: `shared_characters`, `equal_texts`, or a
            function that uses an embedding model.
    """
    rows: dict[str, dict[str, float]] = {"efficiency": tokens(trace)}
    missing: dict[str, str] = {}
    planner = trace.stage("planner")
    if planner is None:
        missing["instruction"] = NO_PLAN
    else:
        rows["instruction"] = {
            "ID": intent_detection(truth, planner, measure),
            "IE": information_extraction(truth, planner),
        }
    if not trace.calls:
        missing["tool"] = NO_CALL
    elif not truth.tools:
        missing["tool"] = NO_TOOLS
    else:
        coverage, spared = tool_selection(truth, trace.calls)
        rows["tool"] = {"TS_P": coverage, "TS_R": spared, "SC": schema_compliance(truth, trace.calls)}
    failed: tuple[str, ...] = ()
    if not trace.answer:
        missing["answer"] = NO_ANSWER
    else:
        try:
            rows["answer"] = _score_answer(truth, trace.answer, measure)
        except CaseDroppedError as dropped:
            missing["answer"] = str(dropped)
            failed = ("answer",)
    return CaseScores(truth.case, truth.scenario, truth.family, rows, missing, failed)


def tokens(trace: Trace) -> dict[str, float]:
    """Compute IT and OT (input and output tokens) over all stages. If only a total is known, 70% count as input."""
    counts = [stage_tokens for stage_tokens in map(trace.tokens_of, STAGES) if stage_tokens is not None]
    inputs, outputs = (
        sum(stage_tokens.input or 0 for stage_tokens in counts),
        sum(stage_tokens.output or 0 for stage_tokens in counts),
    )
    total = sum(stage_tokens.total or 0 for stage_tokens in counts)
    if not inputs and not outputs and total:
        inputs = int(0.7 * total)
        outputs = total - inputs
    return {"IT": inputs, "OT": outputs}


def _score_answer(truth: Truth, text: str, measure: SimilarityMeasure) -> dict[str, float]:
    answer = AnswerReading(text)
    delivered = score_delivery(truth, answer)
    return {"DR": delivered, "FPR": score_final_pass(truth, answer, measure) if delivered == 1 else 0.0}


__all__ = [
    "METRICS",
    "CaseScores",
    "Truth",
    "equal_texts",
    "scenario_of",
    "score",
    "shared_characters",
    "tokens",
    "truth_of",
    "truths_of",
]
