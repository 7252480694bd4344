"""All strict metrics of a run. This module computes DR, FPR and tokens; separate modules compute the other metrics.

    DR  = 1 if the run ended without error, its answer is readable and not empty, and no tool failed for good
    FPR = 1 if DR is 1 and the answer satisfies every constraint of the episode's task; the run's verdict is
    then `pass`
    IT, OT: sums of the input and of the output tokens over the run's parts; unknown if not reported

A tool failed for good if the result of a call is an error and no later call of the tool succeeded. For a tool that
does not exist, a later call of any tool counts. A call without a recorded result does not count as failed. FPR is
unknown if the suite was scored without verdicts, or if no ground truth is known.

Sources: sections 3.2.4 and 3.2.5 of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.episode_map import map_can_answer
from planspec.families.mobilitybench.metrics.calling import RunCall, program_calls, read_call
from planspec.families.mobilitybench.metrics.declared import Declaration, RunDeclarations, declarations_of
from planspec.families.mobilitybench.metrics.decomposition import decomposition
from planspec.families.mobilitybench.metrics.extraction import constraint_faults
from planspec.families.mobilitybench.metrics.intent import intent_of
from planspec.families.mobilitybench.metrics.record import (
    METRICS,
    NO_TRACE,
    TOKENS,
    JudgedMetric,
    StrictMetrics,
)
from planspec.families.mobilitybench.metrics.tool_use import (
    parameter_filling,
    schema_compliance,
    tool_selection,
)
from planspec.traces.record import Call, Result, Trace
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.meaning.verdict import Finding, Verdict

UNDECLARED = "undeclared"
NO_TOOL = "unknown tool"
MOST_SHOWN = 400
"""Maximum length of a string in the record."""


def score_trace(
    episode: Episode, trace: Trace | None, verdict: Verdict | None, suite: Path | None = None
) -> StrictMetrics:
    """Compute the strict metrics of a run.

    Args:
        episode: the run's episode.
        trace: the run; None if there is none. All metrics are then 0.
        verdict: verdict on the answer; None if there is no readable answer, or no judge.
        suite: folder of the episode's suite.
    """
    if trace is None:
        return _metrics_without_run(episode)
    declarations = declarations_of(trace)
    required, calls = program_calls(episode), calls_of(episode, trace)
    precision, recall = decomposition(episode.steps, declarations.steps, calls)
    coverage, spared, call_counts = tool_selection(required, calls)
    reasons = tuple(_call_faults(episode, suite, trace, calls))
    delivered = _delivery_metric(trace, reasons, declarations, verdict)
    tokens = _token_metrics(trace)
    return StrictMetrics(
        task=episode.id,
        agent=trace.agent,
        family=episode.family,
        scenario=episode.scenario,
        traced=True,
        verdict="undelivered" if verdict is None else verdict.status,
        metrics={
            "ID": _intent_metric(episode, declarations.intent),
            "IE": _extraction_metric(episode, declarations.constraints),
            "DEC_P": precision,
            "DEC_R": recall,
            "TS_coverage": coverage,
            "TS_spared": spared,
            "TS_calls": call_counts,
            "SC": schema_compliance(required, calls),
            "PF": parameter_filling(required, calls),
            "DR": delivered,
            "FPR": _final_pass_metric(delivered, verdict) if _can_be_judged(episode) else JudgedMetric(None),
            **tokens,
        },
        undeclared=_undeclared_parts(declarations, tokens),
        findings=()
        if verdict is None
        else tuple(
            (finding.constraint, finding.message)
            for finding in verdict.findings
            if finding.status == "violated" and finding.level != "soft"
        ),
    )


def _metrics_without_run(episode: Episode) -> StrictMetrics:
    nothing = JudgedMetric.zero(NO_TRACE)
    metrics = {name: JudgedMetric(None) if name in TOKENS else nothing for name in METRICS}
    return StrictMetrics(
        task=episode.id,
        agent=None,
        family=episode.family,
        scenario=episode.scenario,
        traced=False,
        verdict="undelivered",
        metrics=metrics,
    )


def _undeclared_parts(declarations: RunDeclarations, tokens: Mapping[str, JudgedMetric]) -> tuple[str, ...]:
    reported = {
        "intent": declarations.intent,
        "constraints": declarations.constraints,
        "steps": declarations.steps,
        "tokens": next((judged for judged in tokens.values() if judged.value is not None), None),
    }
    return tuple(name for name, value in reported.items() if value is None)


def _intent_metric(episode: Episode, declaration: Declaration | None) -> JudgedMetric:
    if declaration is None:
        return JudgedMetric.zero(UNDECLARED)
    texts = declaration.value if isinstance(declaration.value, list) else [declaration.value]
    if len(texts) != 1 or not isinstance(texts[0], str):
        return JudgedMetric.of(
            right=False,
            basis=_record_json(declaration.value),
            source=declaration.source,
            reasons=("several labels" if len(texts) > 1 else "no text",),
        )
    intent = intent_of(texts[0])
    right = intent.scenario is episode.scenario
    reason = str(intent.unclear or "another scenario")
    basis = {"text": texts[0][:MOST_SHOWN], "nearest": intent.label, "similarity": round(float(intent.similarity), 4)}
    return JudgedMetric.of(right=right, basis=basis, source=declaration.source, reasons=(reason,))


def _extraction_metric(episode: Episode, declaration: Declaration | None) -> JudgedMetric:
    if declaration is None:
        return JudgedMetric.zero(UNDECLARED)
    faults = constraint_faults(episode, declaration.value)
    return JudgedMetric.of(
        right=not faults, basis=_record_json(declaration.value), source=declaration.source, reasons=faults
    )


def _delivery_metric(
    trace: Trace, failing: Sequence[str], declarations: RunDeclarations, verdict: Verdict | None
) -> JudgedMetric:
    reasons = list(_ending_faults(trace))
    if declarations.answer is None:
        reasons.append("no answer")
    elif isinstance(declarations.answer, Undelivered):
        reasons.append("answer cannot be read")
    elif verdict is not None and verdict.status == "undelivered":
        reasons.append("answer answers nothing")
    reasons += failing
    return JudgedMetric.of(right=not reasons, basis=_why_no_answer(declarations, verdict), reasons=tuple(reasons))


def _why_no_answer(declarations: RunDeclarations, verdict: Verdict | None) -> str | None:
    """Return why there is no valid answer, or None if no reason is known."""
    if isinstance(declarations.answer, Undelivered):
        return declarations.answer.reason
    if verdict is not None and verdict.status == "undelivered" and verdict.findings:
        return verdict.findings[0].message
    return None


def calls_of(episode: Episode, trace: Trace) -> list[RunCall]:
    """Return a run's calls, each checked against its tool's schema."""
    return [read_call(call, public=episode.source is not None) for call in trace.calls]


def _ending_faults(trace: Trace) -> Iterator[str]:
    """Yield a message if the run ended with an error or did not end. The run then counts as not delivered."""
    if trace.error is not None:
        yield "run ended with an error"
    elif not trace.ended:
        yield "run breaks off" if trace.answer is None else "run did not end"


def _call_faults(episode: Episode, suite: Path | None, trace: Trace, parsed: Sequence[RunCall]) -> Iterator[str]:
    """Yield a message for each tool whose calls stayed failed. The run then counts as not delivered.

    A call that failed only because the recording lacks it is excused if the map can answer it.
    """
    excused = partial(map_can_answer, episode, suite)
    return (f"{tool} stayed failed" for tool in unrecovered_tools(trace.calls, parsed, excused))


def run_verdict(verdict: Verdict, episode: Episode, trace: Trace, suite: Path | None = None) -> Verdict:
    """Return the verdict on a run: the verdict on its answer, or `fail` if DR is 0.

    A run therefore passes exactly if its FPR is 1.

    Args:
        verdict: verdict on the answer.
        episode: the run's episode.
        trace: the run.
        suite: folder of the episode's suite.
    """
    reasons = [*_ending_faults(trace), *_call_faults(episode, suite, trace, calls_of(episode, trace))]
    if not reasons or verdict.status == "undelivered":
        return verdict
    finding = Finding(
        constraint="run", level="shape", kind="undelivered-run", status="violated", message="; ".join(reasons)
    )
    return replace(verdict, status="fail", findings=(finding, *verdict.findings))


def unrecovered_tools(
    calls: Sequence[Call], parsed: Sequence[RunCall], is_excused: Callable[[Call], bool] = lambda _: False
) -> tuple[str, ...]:
    """Return the names of tools of which a call failed and no later call succeeded.

    Args:
        calls: calls of the run, in order.
        parsed: the same calls, checked against their schemas.
        is_excused: function that returns whether to ignore a failed call.
    """
    failed: dict[str, None] = {}
    for call, parsed_call in zip(calls, parsed, strict=True):
        tool = parsed_call.tool or NO_TOOL
        if call.result is None:
            continue
        if has_failed(call.result):
            if not is_excused(call):
                failed[tool] = None
        elif parsed_call.tool is not None:
            failed.pop(tool, None)
            failed.pop(NO_TOOL, None)
    return tuple(failed)


def has_failed(result: Result) -> bool:
    """Return whether a result is an error.

    An error is marked as an error in the trace, is an object with a field `error`, or is a string that begins with
    "error".
    """
    if not result.ok:
        return True
    if isinstance(result.value, Mapping):
        return bool(result.value.get("error"))
    text = result.text if result.text is not None else result.value
    return isinstance(text, str) and text.lstrip()[:5].casefold() == "error"


def _can_be_judged(episode: Episode) -> bool:
    """Return whether any ground truth is known. Truncated rows of the public table may have none."""
    return bool(episode.given) or episode.source is None


def _final_pass_metric(delivered: JudgedMetric, verdict: Verdict | None) -> JudgedMetric:
    if delivered.value != 1:
        return JudgedMetric.zero("not delivered")
    if verdict is None:
        return JudgedMetric(None)
    broken = (
        finding.constraint.partition("[")[0] if finding.level == "hard" else "unreadable or unknown values"
        for finding in verdict.findings
        if finding.status == "violated" and finding.level != "soft"
    )
    return JudgedMetric.of(right=verdict.status == "pass", reasons=tuple(dict.fromkeys(broken)))


def _token_metrics(trace: Trace) -> dict[str, JudgedMetric]:
    whole = trace.tokens_of(None)
    parts = [whole] if whole is not None else list(trace.tokens)
    metrics = {}
    for name, counts in (("IT", [part.input for part in parts]), ("OT", [part.output for part in parts])):
        reported = [count for count in counts if count is not None]
        metrics[name] = JudgedMetric(Fraction(sum(reported)) if reported else None)
    return metrics


def _record_json(value: Any) -> Any:
    """Convert a part of an answer to JSON for the record. Long texts and lists are truncated."""
    match value:
        case str():
            return value[:MOST_SHOWN]
        case Decimal():
            return int(value) if abs(value) < 10**15 and value == int(value) else str(value)[:MOST_SHOWN]
        case Mapping():
            return {str(name)[:MOST_SHOWN]: _record_json(part) for name, part in list(value.items())[:50]}
        case list() | tuple():
            return [_record_json(part) for part in value[:50]]
        case _:
            return value
