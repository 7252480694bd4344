"""The metrics of MobilityBench's public toolkit, quirks included, for comparing numbers with published ones.

They are stated as facts about AMAP-ML/MobilityBench at commit da07a8c. What the metrics mean to say is another profile's
matter. The decomposition of tasks is not among them. Where the toolkit's behaviour was not stated it was found in numbers
that it gave: of trips asked for by their length or time, the words counted are ten, `米` among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.families.mobilitybench.official.answer import (
    AnswerReading,
    CaseDroppedError,
    delivery,
    final_pass,
)
from planspec.families.mobilitybench.official.instruction import information_extraction, intent_detection
from planspec.families.mobilitybench.official.similarity import (
    SimilarityMeasure,
    nothing_else,
    shared_characters,
)
from planspec.families.mobilitybench.official.tools import schema_compliance, tool_selection
from planspec.families.mobilitybench.official.truth import Truth, scenario_of, truth_of, truths_of
from planspec.traces.record import Trace

METRICS: Mapping[str, tuple[str, ...]] = {
    "instruction": ("ID", "IE"), "tool": ("TS_P", "TS_R", "SC"), "answer": ("DR", "FPR"), "efficiency": ("IT", "OT"),
}  # fmt: skip
"""The numbers of a row of each of the toolkit's metrics."""
STAGES = ("planner", "worker", "reporter")
NO_PLAN = "the run has no plan"
NO_CALL = "the run calls no tool"
NO_TOOLS = "the standard program has no tools"
NO_ANSWER = "the run has no answer"


@dataclass(frozen=True, slots=True)
class CaseScores:
    """The toolkit's scores of one run.

    Attributes:
        case: the id of the case.
        scenario: as the table calls it.
        family: likewise.
        rows: by metric its numbers; a metric without a row is missing.
        missing: why there is no row.
        failed: the metrics that stop with an exception; they are among the missing.
    """

    case: str
    scenario: str
    family: str
    rows: Mapping[str, Mapping[str, float]]
    missing: Mapping[str, str] = field(default_factory=dict)
    failed: tuple[str, ...] = ()


def score(truth: Truth, trace: Trace, measure: SimilarityMeasure = shared_characters) -> CaseScores:
    """The numbers of one run.

    Args:
        truth: of the case.
        trace: of the run, with stages named as `STAGES` where it has them.
        measure: how alike texts are of which neither holds the other: `shared_characters`, `nothing_else`, or one made
            of an embedding model.
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
            rows["answer"] = _answer(truth, trace.answer, measure)
        except CaseDroppedError as dropped:
            missing["answer"] = str(dropped)
            failed = ("answer",)
    return CaseScores(truth.case, truth.scenario, truth.family, rows, missing, failed)


def tokens(trace: Trace) -> dict[str, float]:
    """IT and OT: what goes in and comes out over all stages; 7/10 and the rest of a total that alone is said."""
    counts = [said for said in map(trace.tokens_of, STAGES) if said is not None]
    given, made = sum(said.input or 0 for said in counts), sum(said.output or 0 for said in counts)
    total = sum(said.total or 0 for said in counts)
    if not given and not made and total:
        given = int(0.7 * total)
        made = total - given
    return {"IT": given, "OT": made}


def _answer(truth: Truth, text: str, measure: SimilarityMeasure) -> dict[str, float]:
    answer = AnswerReading(text)
    delivered = delivery(truth, answer)
    return {"DR": delivered, "FPR": final_pass(truth, answer, measure) if delivered == 1 else 0.0}


__all__ = [
    "METRICS",
    "CaseScores",
    "Truth",
    "nothing_else",
    "scenario_of",
    "score",
    "shared_characters",
    "tokens",
    "truth_of",
    "truths_of",
]
