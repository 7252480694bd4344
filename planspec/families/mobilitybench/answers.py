"""Routes of an answer that are named by their places in results of calls -> the ids of recorded routes.

An agent may say that its way is the first route of a call that it made, and the public toolkit's agents say no more. Which
routes a call gave is looked up in the episode's snapshot; the results that a trace claims are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from planspec.agents.tools import RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import MODES, TOOLS, canonical, route_id
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC
from planspec.families.mobilitybench.episode import Episode, RecordedResult
from planspec.families.mobilitybench.format.codec import FORMAT, is_plan
from planspec.families.mobilitybench.format.routes import INDEXES, hollow
from planspec.families.mobilitybench.public.translation import Untranslated, translated
from planspec.families.mobilitybench.public.ways import public_routes
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.suite import sandbox_of
from planspec.traces import Trace
from planspec.verifiers.answers.envelope import Undelivered, read_answer

ANSWER, ROUTE, INDEX, BARE = "answer", "route", "route_index", "index"


def resolved(text: str | None, trace: Trace, episode: Episode) -> Any:
    """An answer in which ids stand for the routes that it names by their places in results.

    A place is `{"call": id, "index": n}`, `{"index": n}` for the last planning call that has recorded routes, or the
    public toolkit's `route_index`; n is from 0. The call is named by its id, or by its place among the calls of the run,
    from 0. What names no recorded route stays as it is, and the answer's format says so.

    Args:
        text: what the agent returned; None if it returned nothing.
        trace: the run.
        episode: with what the tools said.

    Returns:
        The JSON of the answer; the text itself where no JSON can be read from it, or something is wrong with it as JSON.
    """
    read = read_answer(text or "", fits=FORMAT.is_answer)
    if isinstance(read, Undelivered) or read.findings or is_plan(read.plan):
        return text or ""
    return _resolved(read.plan, _Planned(trace, episode))


def _resolved(data: Mapping[str, Any], planned: _Planned) -> dict[str, Any]:
    made = dict(data)
    inner = made.get(ANSWER)
    if isinstance(inner, Mapping):
        for name in (INDEX, BARE):
            if not hollow(made.get(name)) and not {INDEX, BARE} & set(inner):
                inner = {**inner, INDEX: made.pop(name)}
        made[ANSWER] = _resolved(inner, planned)
        return made
    if hollow(made.get(INDEX)) and not hollow(made.get(BARE)):
        made[INDEX] = made.pop(BARE)
    found = None if hollow(made.get(INDEX)) else planned.last(_number(made[INDEX]))
    if not hollow(made.get(ROUTE)):
        made[ROUTE] = _route(made[ROUTE], planned)
        if found is not None:  # whether it is the same route is for the answer's format to say
            made[INDEX] = found
    elif found is not None:
        del made[INDEX]
        made[ROUTE] = found
    return made


def _route(said: Any, planned: _Planned) -> Any:
    if isinstance(said, list):
        return [_route(entry, planned) for entry in said]
    if _number(said) is not None and not isinstance(said, str):
        return planned.last(_number(said)) or said
    if not isinstance(said, Mapping) or all(hollow(said.get(name)) for name in INDEXES):
        return said
    index = next((said[name] for name in (*INDEXES[:2],) if not hollow(said.get(name))), None)
    if hollow(said.get("call")):
        found = planned.last(_number(index))
    else:
        found = planned.of_call(said["call"], None if index is None else _number(index), index is None)
    if found is None:
        return said
    more = {name: value for name, value in said.items() if name not in INDEXES and not hollow(value)}
    named = more.get("id")
    if not more or (len(more) == 1 and named == found):
        return found
    # what else is told of the route stays, and another name for it beside the one that the call gave
    return {"id": found, **more} | ({} if named in (None, found) else {"index": found})


def _number(said: Any) -> int | None:
    """A whole number from 0, as JSON or as text."""
    if isinstance(said, str) and said.strip().isdecimal() and len(said) < 10:
        return int(said)
    if (
        isinstance(said, int | Decimal)
        and not isinstance(said, bool)
        and 0 <= said < 10**9
        and said == int(said)
    ):
        return int(said)
    return None


@dataclass(frozen=True)
class _Planned:
    """The planning calls of a run, by what the snapshot has for them."""

    trace: Trace
    episode: Episode

    @cached_property
    def routes(self) -> tuple[tuple[str | None, ...], ...]:
        """The ids of the routes of each call of the run, in their order; None for one that cannot be read."""
        sandbox = sandbox_of(self.episode)
        known = {
            (record.tool, _key(record.tool, record.arguments)): record
            for record in reversed(self.episode.snapshot)
            if record.tool in MODES and record.arguments is not None
        }
        return tuple(self._of(call.name, call.arguments, sandbox, known) for call in self.trace.calls)

    def _of(
        self, name: str | None, arguments: Any, sandbox: ReplaySandbox, known: Any
    ) -> tuple[str | None, ...]:
        tool, asked = name, arguments
        if tool not in MODES and PUBLIC.get(name or "") in MODES:
            ours = translated(name, arguments)
            if isinstance(ours, Untranslated):
                return ()
            tool, asked = ours
        found = sandbox.recorded(tool, asked)
        if found is None or found.tool not in MODES or "error" in sandbox.call(tool, asked):
            return ()
        # a call that was answered by another one has the routes of that
        record = known.get((found.tool, route_id(found.tool, found.arguments, 0)))
        return () if record is None else _ids(record, public=self.episode.source is not None)

    def last(self, index: int | None) -> str | None:
        """A route of the last call that has any."""
        if index is None:
            return None
        routes = next((routes for routes in reversed(self.routes) if routes), ())
        return routes[index] if index < len(routes) else None

    def of_call(self, call: Any, index: int | None, only: bool) -> str | None:
        """A route of a call; without an index, the call's only route."""
        if isinstance(call, str):
            places = [place for place, made in enumerate(self.trace.calls) if made.id == call.strip()]
        else:
            number = _number(call)
            places = [number] if number is not None and number < len(self.trace.calls) else []
        found = [self.routes[place] for place in places if self.routes[place]]
        if len(found) != 1:
            return None
        if only:
            return found[0][0] if len(found[0]) == 1 else None
        return found[0][index] if index is not None and index < len(found[0]) else None


def _key(tool: str, arguments: Any) -> str | None:
    """The key by which equal calls are equal; None for a step that is not a call."""
    try:
        read = read_arguments(TOOLS[tool][0], arguments)
    except RefusedCallError:
        return None
    return route_id(tool, canonical(read), 0)


def _ids(record: RecordedResult, *, public: bool) -> tuple[str | None, ...]:
    if public:
        return tuple(None if route is None else route["id"] for route in public_routes(record))
    result: Any = record.result
    routes = result.get("routes") if isinstance(result, Mapping) else None
    return tuple(
        route.get("id") or route_id(record.tool, dict(record.arguments or {}), number)
        for number, route in enumerate(routes or (), 1)
        if isinstance(route, Mapping)
    )
