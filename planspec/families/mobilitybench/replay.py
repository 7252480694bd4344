"""The replay sandbox: recorded calls answer calls, exactly or nearly, and no argument is ever ignored.

A recorded call is answered with the recorded text, even if it states a default: a departure now, the fastest
way. Otherwise a recorded call may stand for it whose arguments differ only in names, each similar enough, and
coordinates, each near enough. The best names win, then the least distance, whatever the order of the
recording. The answer states the kind of match. All other arguments must be equal: the number of waypoints,
options, times, radii and limits.
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
from planspec.families.mobilitybench.snapshot import KnownCall, answered, answered_text, text_of
from planspec.geodesy import EARTH_M, central_angle
from planspec.verifiers.answers.names import telling

SIMILAR = 0.85
"""Least similarity (Indel, 0 to 1) between a name and the recorded one that may stand for it."""
NEAR = 200.0
"""Greatest distance, in metres, between a coordinate and the recorded one that may stand for it."""
MOST_TEXTS = 200_000
"""Most calls that are cached by their literal arguments."""


@dataclass(frozen=True, slots=True)
class MatchQuality:
    """Quality of the match of a recorded call with another; the least is the best.

    Attributes:
        unlike: 1 minus the least similarity of a name.
        metres: greatest distance of a coordinate.
        total: sum of all distances, in metres.
    """

    unlike: float
    metres: float
    total: float


class ReplaySandbox(Toolset):
    """The ten tools over recorded calls; the same call always gets the same text.

    Args:
        snapshot: recorded calls; the first with the same arguments counts.
        similar: least similarity of names, see `SIMILAR`.
        near: greatest distance in metres, see `NEAR`.
        now: HH:MM, the time of a call that gives none; None if unknown.
        tools: tools as agents see them, whose defaults apply to omitted arguments.
        more: fallback for calls that are not recorded here; its exact records precede similar ones here.
    """

    def __init__(
        self,
        snapshot: Iterable[KnownCall],
        *,
        similar: float = SIMILAR,
        near: float = NEAR,
        now: str | None = None,
        tools: Mapping[str, tuple[type[Arguments], str]] = TOOLS,
        more: ReplaySandbox | None = None,
    ) -> None:
        super().__init__(
            ModelTool(name, text, model, partial(self._answer, name)) for name, (model, text) in tools.items()
        )
        self._similar, self._near, self._now, self._models, self._more = similar, near, now, tools, more
        self._texts: dict[tuple[str, bytes], str] = {}
        self._exact: dict[tuple[str, Canonical], KnownCall] = {}
        self._equivalent: dict[tuple[str, Canonical], KnownCall] = {}  # by meaning
        self._alike: dict[tuple[str, Any], list[tuple[Canonical, KnownCall]]] = {}
        for call in snapshot:
            if call.key not in self._exact:
                normal = self._normalised(call.arguments)
                self._exact[call.key] = call
                self._equivalent.setdefault((call.tool, normal), call)
                self._alike.setdefault((call.tool, _shape(normal)), []).append((normal, call))

    def call_text(self, name: object, arguments: object) -> str:
        """Answer a call with JSON text; literally repeated calls are cached."""
        if not isinstance(name, str):
            return text_of(self.call(name, arguments))
        try:
            key = name, marshal.dumps(arguments)  # type: ignore[arg-type]
        except ValueError:  # not JSON
            return text_of(self.call(name, arguments))
        text = self._texts.get(key)
        if text is None:
            text = self._text(name, arguments)
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            self._texts[key] = text
        return text

    def _text(self, name: str, arguments: object) -> str:
        entry = self._models.get(name)
        if entry is None:
            return text_of(self.call(name, arguments))
        try:
            return answered_text(*self._match(name, read_arguments(entry[0], arguments)))
        except RefusedCallError as refused:
            return text_of(refused.result())

    def _answer(self, name: str, arguments: Arguments) -> JsonResult:
        return answered(*self._match(name, arguments))

    def _match(self, name: str, arguments: Arguments) -> tuple[KnownCall, JsonResult | None]:
        """Return the recorded call that answers a call, and the quality of the match if it is another call.

        Raises:
            RefusedCallError: no recorded call does.
        """
        base = TOOLS[name][0]
        if type(arguments) is not base:  # the recording's tool gets these defaults explicitly
            arguments = base.model_validate(arguments.model_dump())
        query = canonical_arguments(arguments)
        stores = [self, *([] if self._more is None else [self._more])]
        exact = next(filter(None, (store._same_as(name, query) for store in stores)), None)
        if exact is not None:
            return exact, None
        best = next(filter(None, (store.like(name, query) for store in stores)), None)
        if best is None:
            raise RefusedCallError("not-found", self._miss(name, self._normalised(query)))
        stand, call = best
        match: JsonResult = {
            "kind": "near" if stand.total and not stand.unlike else "fuzzy",
            "recorded": _plain(call.arguments),
        }
        if stand.unlike:
            match["score"] = round(1 - stand.unlike, 4)
        if stand.total:
            match["metres"] = round(stand.metres, 1)
        return call, match

    def _same_as(self, name: str, query: Canonical) -> KnownCall | None:
        """Return the recorded call with the same arguments, or the same meaning."""
        exact = self._exact.get((name, query))
        return self._equivalent.get((name, self._normalised(query))) if exact is None else exact

    def like(self, name: str, query: Canonical) -> tuple[MatchQuality, KnownCall] | None:
        """Return the recorded call that matches best, and how well."""
        query = self._normalised(query)
        best: tuple[MatchQuality, KnownCall] | None = None
        for normal, call in self._alike.get((name, _shape(query)), ()):
            stand = self._stands(query, normal)
            if stand is not None and (best is None or _order(stand, call) < _order(*best)):
                best = stand, call
        return best

    def recorded(self, name: object, arguments: object) -> KnownCall | None:
        """Return the recorded call that answers a call; None if there is none."""
        entry = self._models.get(name) if isinstance(name, str) else None
        try:
            return None if entry is None else self._match(str(name), read_arguments(entry[0], arguments))[0]
        except RefusedCallError:
            return None

    def _normalised(self, arguments: Canonical) -> Canonical:
        """Drop a time that is now; a way by car has a time only if traffic counts."""
        if self._models is TOOLS:
            arguments = drop_fastest(arguments)
        if self._now is None or ("traffic_aware", False) in arguments:
            return arguments
        return tuple(pair for pair in arguments if pair not in (("depart_at", self._now), ("at", self._now)))

    def _stands(self, query: Canonical, recorded: Canonical) -> MatchQuality | None:
        """Return the quality of a match of two calls of one shape; None if it is too poor."""
        unlike = metres = total = 0.0
        for (name, a), (_, b) in zip(query, recorded, strict=True):
            if a == b:
                continue
            for x, y in zip(a, b, strict=True) if isinstance(a, tuple) else ((a, b),):
                if name in NAMES:
                    unlike = max(unlike, 1 - _similarity(x, y))
                else:
                    away = distance(x, y)
                    metres, total = max(metres, away), total + away
        if unlike > 1 - self._similar + 1e-9 or metres > self._near:
            return None
        return MatchQuality(unlike, metres, total)

    def _miss(self, name: str, query: Canonical) -> str:
        """Return why no recorded call matches, with advice."""
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


def _plain(arguments: Canonical) -> JsonResult:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in arguments}


def _order(stand: MatchQuality, call: KnownCall) -> tuple[float, float, float, str]:
    """Return a sort key: the best match is the least; ties go by the arguments."""
    return stand.unlike, stand.metres, stand.total, repr(call.arguments)


def _shape(arguments: Canonical) -> Canonical:
    """Return the parts of a call that must be equal.

    They are the argument names, the numbers of values, and all values other than names and places.
    """
    return tuple(
        (
            name,
            (len(value) if isinstance(value, tuple) else None) if name in NAMES or name in PLACES else value,
        )
        for name, value in arguments
    )


def _similarity(a: str, b: str) -> float:
    from rapidfuzz.distance import Indel

    if telling(a) != telling(b):  # the east of a ring road is not its west, and line 2 is not line 3
        return 0.0
    return Indel.normalized_similarity(a, b)


def distance(a: str, b: str) -> float:
    """Return the great-circle distance in metres between two places `longitude,latitude`."""
    (x1, y1), (x2, y2) = ([math.radians(float(part)) for part in place.split(",")] for place in (a, b))
    return EARTH_M * central_angle(y1, y2, x2 - x1)
