"""Replay sandbox: tools that answer calls from equal or similar recorded calls. No argument is ignored.

A call gets the answer of an equal recorded call. Arguments with their default value, such as a departure now, may be
stated or omitted. If no recorded call is equal, the call gets the answer of a similar one: only names and coordinates
differ, every name is similar enough, and every coordinate is near enough. All other arguments must be equal: options,
times, radii, limits and the number of waypoints. Of several similar calls, the one with the most similar names is used,
on a tie the one with the nearest coordinates. The order of the recording does not matter. The answer states the kind of
match.
"""

from __future__ import annotations

import marshal
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset, read_arguments
from planspec.families.mobilitybench.calls import (
    NAMES,
    PLACES,
    TOOLS,
    Canonical,
    canonical_arguments,
    drop_fastest,
)
from planspec.families.mobilitybench.snapshot import KnownCall, replayed_answer, replayed_text, text_of
from planspec.geodesy import EARTH_M, central_angle
from planspec.verifiers.answers.names import directions_and_numbers

SIMILAR = 0.85
"""Minimum Indel similarity, from 0 to 1, of a name and a recorded name that matches it."""
NEAR = 200.0
"""Maximum distance in metres between coordinates and recorded coordinates that match them."""
MOST_TEXTS = 200_000
"""Maximum number of cached answers, by the literal arguments of the calls."""


@dataclass(frozen=True, slots=True)
class MatchQuality:
    """Difference between a call and a similar recorded call. Smaller values are better.

    Attributes:
        dissimilarity: 1 minus the minimum similarity of names.
        metres: maximum distance between two corresponding coordinates, in metres.
        total: sum of all distances, in metres.
    """

    dissimilarity: float
    metres: float
    total: float


class ReplaySandbox(Toolset):
    """The ten tools, with answers from recorded calls. Equal calls always get equal answers.

    Args:
        snapshot: recorded calls. If several have the same arguments, the first is used.
        similar: minimum Indel similarity, from 0 to 1, of names that match.
        near: maximum distance in metres of coordinates that match.
        now: current time as HH:MM, for calls without a time; None if unknown.
        tools: the tools that agents see. Their defaults replace omitted arguments.
        fallback: sandbox with further recorded calls. An equal call there takes precedence over a similar call here.
    """

    def __init__(
        self,
        snapshot: Iterable[KnownCall],
        *,
        similar: float = SIMILAR,
        near: float = NEAR,
        now: str | None = None,
        tools: Mapping[str, tuple[type[Arguments], str]] = TOOLS,
        fallback: ReplaySandbox | None = None,
    ) -> None:
        super().__init__(
            ModelTool(name, text, model, partial(self._answer, name)) for name, (model, text) in tools.items()
        )
        self._similar, self._near, self._now, self._models, self._more = similar, near, now, tools, fallback
        self._texts: dict[tuple[str, bytes], str] = {}
        self._exact: dict[tuple[str, Canonical], KnownCall] = {}
        self._equivalent: dict[tuple[str, Canonical], KnownCall] = {}  # keys without default arguments
        self._alike: dict[tuple[str, Any], list[tuple[Canonical, KnownCall]]] = {}
        for call in snapshot:
            if call.key not in self._exact:
                normal = self._normalise(call.arguments)
                self._exact[call.key] = call
                self._equivalent.setdefault((call.tool, normal), call)
                self._alike.setdefault((call.tool, _shape(normal)), []).append((normal, call))

    def call_text(self, name: object, arguments: object) -> str:
        """Call a tool and return the answer as JSON text, cached for literally equal calls."""
        if not isinstance(name, str):
            return text_of(self.call(name, arguments))
        try:
            key = name, marshal.dumps(arguments)  # type: ignore[arg-type]
        except ValueError:  # not JSON
            return text_of(self.call(name, arguments))
        text = self._texts.get(key)
        if text is None:
            text = self._uncached_text(name, arguments)
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            self._texts[key] = text
        return text

    def _uncached_text(self, name: str, arguments: object) -> str:
        entry = self._models.get(name)
        if entry is None:
            return text_of(self.call(name, arguments))
        try:
            return replayed_text(*self._match(name, read_arguments(entry[0], arguments)))
        except RefusedCallError as refused:
            return text_of(refused.result())

    def _answer(self, name: str, arguments: Arguments) -> JsonResult:
        return replayed_answer(*self._match(name, arguments))

    def _match(self, name: str, arguments: Arguments) -> tuple[KnownCall, JsonResult | None]:
        """Return the recorded call that matches a call, and a description of the match (None if the calls are equal).

        Raises:
            RefusedCallError: no recorded call matches.
        """
        base = TOOLS[name][0]
        if type(arguments) is not base:  # records use the defaults of `TOOLS`, so other defaults become explicit
            arguments = base.model_validate(arguments.model_dump())
        query = canonical_arguments(arguments)
        stores = [self, *([] if self._more is None else [self._more])]
        exact = next(filter(None, (store._equal_call(name, query) for store in stores)), None)
        if exact is not None:
            return exact, None
        best = next(filter(None, (store.best_similar_call(name, query) for store in stores)), None)
        if best is None:
            raise RefusedCallError("not-found", self._explain_miss(name, self._normalise(query)))
        quality, call = best
        match: JsonResult = {
            "kind": "near" if quality.total and not quality.dissimilarity else "fuzzy",
            "recorded": _arguments_json(call.arguments),
        }
        if quality.dissimilarity:
            match["score"] = round(1 - quality.dissimilarity, 4)
        if quality.total:
            match["metres"] = round(quality.metres, 1)
        return call, match

    def _equal_call(self, name: str, query: Canonical) -> KnownCall | None:
        """Return the recorded call with equal arguments, or else with equal arguments apart from default values."""
        exact = self._exact.get((name, query))
        return self._equivalent.get((name, self._normalise(query))) if exact is None else exact

    def best_similar_call(self, name: str, query: Canonical) -> tuple[MatchQuality, KnownCall] | None:
        """Return the most similar recorded call with the quality of the match, or None if no call is similar."""
        query = self._normalise(query)
        best: tuple[MatchQuality, KnownCall] | None = None
        for normal, call in self._alike.get((name, _shape(query)), ()):
            quality = self._match_quality(query, normal)
            if quality is not None and (best is None or _match_order(quality, call) < _match_order(*best)):
                best = quality, call
        return best

    def matching_record(self, name: object, arguments: object) -> KnownCall | None:
        """Return the recorded call that matches a call, or None if there is none."""
        entry = self._models.get(name) if isinstance(name, str) else None
        try:
            return None if entry is None else self._match(str(name), read_arguments(entry[0], arguments))[0]
        except RefusedCallError:
            return None

    def _normalise(self, arguments: Canonical) -> Canonical:
        """Drop the preference `fastest` if it is the default, and departures at the current time.

        A driving call that ignores traffic keeps its time.
        """
        if self._models is TOOLS:
            arguments = drop_fastest(arguments)
        if self._now is None or ("traffic_aware", False) in arguments:
            return arguments
        return tuple(pair for pair in arguments if pair not in (("depart_at", self._now), ("at", self._now)))

    def _match_quality(self, query: Canonical, recorded: Canonical) -> MatchQuality | None:
        """Compare two calls with equal `_shape`. Return None if they are not similar enough."""
        dissimilarity = metres = total = 0.0
        for (name, a), (_, b) in zip(query, recorded, strict=True):
            if a == b:
                continue
            for x, y in zip(a, b, strict=True) if isinstance(a, tuple) else ((a, b),):
                if name in NAMES:
                    dissimilarity = max(dissimilarity, 1 - _name_similarity(x, y))
                else:
                    away = distance(x, y)
                    metres, total = max(metres, away), total + away
        if dissimilarity > 1 - self._similar + 1e-9 or metres > self._near:
            return None
        return MatchQuality(dissimilarity, metres, total)

    def _explain_miss(self, name: str, query: Canonical) -> str:
        """Return a message that explains why no recorded call matches, with advice."""
        message = "nothing is recorded for this call"
        places = [value for key, value in query if key in PLACES and isinstance(value, str)]
        swapped = {value: ",".join(reversed(value.split(","))) for value in places}
        for call in self._exact.values():
            recorded = [value for key, value in call.arguments if key in PLACES and isinstance(value, str)]
            if any(distance(swapped[a], b) <= self._near for a in places for b in recorded):
                return f"{message}; a longitude and a latitude may be exchanged: the longitude comes first"
        if not any(call.tool == name for call in self._exact.values()):
            return f"{message}: no call of {name} is"
        return message


def _arguments_json(arguments: Canonical) -> JsonResult:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in arguments}


def _match_order(quality: MatchQuality, call: KnownCall) -> tuple[float, float, float, str]:
    """Return a sort key that puts the best match first. Equally good matches are ordered by their arguments."""
    return quality.dissimilarity, quality.metres, quality.total, repr(call.arguments)


def _shape(arguments: Canonical) -> Canonical:
    """Return the parts of a call that must be equal in a similar call.

    They are the names of arguments, the numbers of listed values, and all values other than names and coordinates.
    """
    return tuple(
        (
            name,
            (len(value) if isinstance(value, tuple) else None) if name in NAMES or name in PLACES else value,
        )
        for name, value in arguments
    )


def _name_similarity(a: str, b: str) -> float:
    from rapidfuzz.distance import Indel

    if directions_and_numbers(a) != directions_and_numbers(
        b
    ):  # `Ring Road East` must not match `Ring Road West`, nor line 2 line 3
        return 0.0
    return Indel.normalized_similarity(a, b)


def distance(a: str, b: str) -> float:
    """Return the great-circle distance in metres between two places `longitude,latitude`."""
    (x1, y1), (x2, y2) = ([math.radians(float(part)) for part in place.split(",")] for place in (a, b))
    return EARTH_M * central_angle(y1, y2, x2 - x1)
