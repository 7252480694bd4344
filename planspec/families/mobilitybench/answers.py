"""Resolution of routes that an answer names by a call and a position in the call's result.

An agent may name a route as, for example, the first route of its second call. The public toolkit's agents can name
routes only in this way. The routes of a call are looked up in the episode's recorded results. The results in the trace
are not trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from planspec.agents.tools import RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import MODES, TOOLS, canonical_arguments, route_id
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC
from planspec.families.mobilitybench.episode import Episode, RecordedResult
from planspec.families.mobilitybench.format.codec import FORMAT, is_plan
from planspec.families.mobilitybench.format.routes import INDEXES, is_empty
from planspec.families.mobilitybench.public.result_translation import public_routes
from planspec.families.mobilitybench.public.translation import UntranslatableCall, translate_call
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.suite import sandbox_of
from planspec.traces import Trace
from planspec.verifiers.answers.envelope import Undelivered, read_answer

ANSWER, ROUTE, INDEX, BARE_INDEX = "answer", "route", "route_index", "index"


def resolve_routes(text: str | None, trace: Trace, episode: Episode) -> Any:
    """Replace the positions of routes in an answer by the ids of the recorded routes.

    A position is one of the following, where n counts from 0:

    - `{"call": id, "index": n}`. `call` is the id of the call, or its position among the calls of the run, from 0.
    - `{"index": n}`, for the last planning call with recorded routes.
    - The public toolkit's `route_index`.

    A position without a recorded route is not replaced; the codec of the answer reports it.

    Args:
        text: answer that the agent returned; None if it returned nothing.
        trace: the run.
        episode: the episode with its recorded results.

    Returns:
        The parsed JSON of the answer, or the text itself if it contains no valid JSON.
    """
    parsed = read_answer(text or "", fits=FORMAT.is_answer)
    if isinstance(parsed, Undelivered) or parsed.findings or is_plan(parsed.plan):
        return text or ""
    return _resolve_positions(parsed.plan, _PlanningCalls(trace, episode))


def _resolve_positions(data: Mapping[str, Any], planning: _PlanningCalls) -> dict[str, Any]:
    answer = dict(data)
    inner = answer.get(ANSWER)
    if isinstance(inner, Mapping):
        for name in (INDEX, BARE_INDEX):
            if not is_empty(answer.get(name)) and not {INDEX, BARE_INDEX} & set(inner):
                inner = {**inner, INDEX: answer.pop(name)}
        answer[ANSWER] = _resolve_positions(inner, planning)
        return answer
    if is_empty(answer.get(INDEX)) and not is_empty(answer.get(BARE_INDEX)):
        answer[INDEX] = answer.pop(BARE_INDEX)
    route_id = None if is_empty(answer.get(INDEX)) else planning.route_of_last_call(_whole_number(answer[INDEX]))
    if not is_empty(answer.get(ROUTE)):
        answer[ROUTE] = _resolve_route(answer[ROUTE], planning)
        if route_id is not None:  # the codec checks that both are the same route
            answer[INDEX] = route_id
    elif route_id is not None:
        del answer[INDEX]
        answer[ROUTE] = route_id
    return answer


def _resolve_route(named: Any, planning: _PlanningCalls) -> Any:
    if isinstance(named, list):
        return [_resolve_route(entry, planning) for entry in named]
    if _whole_number(named) is not None and not isinstance(named, str):
        return planning.route_of_last_call(_whole_number(named)) or named
    if not isinstance(named, Mapping) or all(is_empty(named.get(name)) for name in INDEXES):
        return named
    index = next((named[name] for name in (*INDEXES[:2],) if not is_empty(named.get(name))), None)
    if is_empty(named.get("call")):
        route_id = planning.route_of_last_call(_whole_number(index))
    else:
        route_id = planning.route_of_call(named["call"], None if index is None else _whole_number(index), index is None)
    if route_id is None:
        return named
    details = {name: value for name, value in named.items() if name not in INDEXES and not is_empty(value)}
    stated_id = details.get("id")
    if not details or (len(details) == 1 and stated_id == route_id):
        return route_id
    # other details of the route, and an id that differs from the call's route, are kept for the codec to check
    return {"id": route_id, **details} | ({} if stated_id in (None, route_id) else {"index": route_id})


def _whole_number(value: Any) -> int | None:
    """Return a nonnegative integer given as a JSON number or a string; None for other values."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and 0 <= value < 10**9 and value == int(value):
        return int(value)
    return None


@dataclass(frozen=True)
class _PlanningCalls:
    """Planning calls of a run, with their routes as recorded in the snapshot."""

    trace: Trace
    episode: Episode

    @cached_property
    def routes(self) -> tuple[tuple[str | None, ...], ...]:
        """Tuple of route ids for each call of the run, in order. An id is None if the route cannot be read."""
        sandbox = sandbox_of(self.episode)
        records = {
            (record.tool, _call_key(record.tool, record.arguments)): record
            for record in reversed(self.episode.snapshot)
            if record.tool in MODES and record.arguments is not None
        }
        return tuple(self._call_routes(call.name, call.arguments, sandbox, records) for call in self.trace.calls)

    def _call_routes(
        self, name: str | None, arguments: Any, sandbox: ReplaySandbox, records: Any
    ) -> tuple[str | None, ...]:
        tool, query = name, arguments
        if tool not in MODES and PUBLIC.get(name or "") in MODES:
            translation = translate_call(name, arguments)
            if isinstance(translation, UntranslatableCall):
                return ()
            tool, query = translation
        match = sandbox.matching_record(tool, query)
        if match is None or match.tool not in MODES or "error" in sandbox.call(tool, query):
            return ()
        # if the sandbox answers the call from a similar recorded call, the routes are those of the recorded call
        record = records.get((match.tool, route_id(match.tool, match.arguments, 0)))
        return () if record is None else _route_ids(record, public=self.episode.source is not None)

    def route_of_last_call(self, index: int | None) -> str | None:
        """Return the id of the route at `index` in the last call that returned routes; None if out of range."""
        if index is None:
            return None
        routes = next((routes for routes in reversed(self.routes) if routes), ())
        return routes[index] if index < len(routes) else None

    def route_of_call(self, call: Any, index: int | None, without_index: bool) -> str | None:
        """Return the id of a route of a call; None if there is no such call or route.

        Args:
            call: id of the call, or its position among the calls of the run, from 0.
            index: position of the route; ignored if `without_index`.
            without_index: whether the answer gives no index. The call must then have exactly one route.
        """
        if isinstance(call, str):
            places = [place for place, candidate in enumerate(self.trace.calls) if candidate.id == call.strip()]
        else:
            number = _whole_number(call)
            places = [number] if number is not None and number < len(self.trace.calls) else []
        matches = [self.routes[place] for place in places if self.routes[place]]
        if len(matches) != 1:
            return None
        if without_index:
            return matches[0][0] if len(matches[0]) == 1 else None
        return matches[0][index] if index is not None and index < len(matches[0]) else None


def _call_key(tool: str, arguments: Any) -> str | None:
    """Return a key that is equal for equal calls; None if the arguments do not fit the tool."""
    try:
        parsed = read_arguments(TOOLS[tool][0], arguments)
    except RefusedCallError:
        return None
    return route_id(tool, canonical_arguments(parsed), 0)


def _route_ids(record: RecordedResult, *, public: bool) -> tuple[str | None, ...]:
    if public:
        return tuple(None if route is None else route["id"] for route in public_routes(record))
    result: Any = record.result
    routes = result.get("routes") if isinstance(result, Mapping) else None
    return tuple(
        route.get("id") or route_id(record.tool, dict(record.arguments or {}), number)
        for number, route in enumerate(routes or (), 1)
        if isinstance(route, Mapping)
    )
