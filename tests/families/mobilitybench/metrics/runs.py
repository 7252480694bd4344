"""Episodes and runs of an invented town."""

from typing import Any

from planspec.families.mobilitybench.episode import Context, Episode, EpisodeOrigin, Scenario, StandardCall
from planspec.traces import Call, Result, Stage, Tokens, Trace

HERE, THERE = "116.40000,39.90000", "116.50000,39.95000"


def episode(
    *calls: tuple[str, dict[str, Any]],
    scenario: Scenario = Scenario.POINT_TO_POINT,
    public: bool = False,
    **more: Any,
) -> Episode:
    """Return an episode whose program makes these calls."""
    fields: dict[str, Any] = {
        "query": "To the harbour, by car",
        "context": Context(location=HERE, city="Haven"),
    }
    if public:
        fields["source"] = EpisodeOrigin(row=1, sha256="0", scenario=scenario.value, family=scenario.family.value)
        fields.setdefault("given", {"usual_time": "20min"})
    return Episode(
        id="case_1",
        family=scenario.family,
        scenario=scenario,
        program=tuple(StandardCall(tool=tool, name=tool, arguments=arguments) for tool, arguments in calls),
        snapshot=(),
        **(fields | more),
    )


DRIVE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("poi_query", {"keywords": "Harbour", "city": "Haven"}),
    ("driving_planning", {"origin": HERE, "destination": THERE, "preferences": ["avoid_tolls"]}),
)


def call(name: str | None, /, *, result: Any = None, error: Any = None, **arguments: Any) -> Call:
    """Return an agent's call of a tool, with a result or an error if one is given."""
    outcome = None if result is None and error is None else Result(value=result, error=error)
    return Call(name=name, arguments=arguments, result=outcome)


def trace(*calls: Call, answer: str | None = '{"answer": {"route": "drive-00000000-1"}}', **more: Any) -> Trace:
    """Return a trace with these calls and this answer."""
    return Trace(task="case_1", calls=calls, answer=answer, **more)


def planner(**fields: Any) -> Stage:
    """Return the part of a trace that records an agent's planner."""
    return Stage(name="planner", **fields)


def tokens(input_tokens: int | None, output_tokens: int | None, stage: str | None = None) -> Tokens:
    """Return the numbers of tokens of a run or, with `stage`, of one part of an agent."""
    return Tokens(stage=stage, input=input_tokens, output=output_tokens)
