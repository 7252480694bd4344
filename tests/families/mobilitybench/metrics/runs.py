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
    """An episode whose program makes these calls."""
    said: dict[str, Any] = {
        "query": "To the harbour, by car",
        "context": Context(location=HERE, city="Haven"),
    }
    if public:
        said["source"] = EpisodeOrigin(
            row=1, sha256="0", scenario=scenario.value, family=scenario.family.value
        )
        said.setdefault("given", {"usual_time": "20min"})
    return Episode(
        id="case_1", family=scenario.family, scenario=scenario,
        program=tuple(StandardCall(tool=tool, name=tool, arguments=arguments) for tool, arguments in calls),
        snapshot=(), **(said | more),
    )  # fmt: skip


DRIVE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("poi_query", {"keywords": "Harbour", "city": "Haven"}),
    ("driving_planning", {"origin": HERE, "destination": THERE, "preferences": ["avoid_tolls"]}),
)


def call(name: str | None, /, *, result: Any = None, error: Any = None, **arguments: Any) -> Call:
    """A call; with a result if one is told."""
    made = None if result is None and error is None else Result(value=result, error=error)
    return Call(name=name, arguments=arguments, result=made)


def trace(
    *calls: Call, answer: str | None = '{"answer": {"route": "drive-00000000-1"}}', **more: Any
) -> Trace:
    """A run."""
    return Trace(task="case_1", calls=calls, answer=answer, **more)


def planner(**said: Any) -> Stage:
    """A planner's stage."""
    return Stage(name="planner", **said)


def tokens(given: int | None, made: int | None, stage: str | None = None) -> Tokens:
    """Numbers of tokens."""
    return Tokens(stage=stage, input=given, output=made)
