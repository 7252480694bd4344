"""The replay sandbox: recorded calls answer calls, exactly or nearly, and never as if an argument had not been given.

A call that was recorded is answered with the recorded text, also where it says in words what it would mean without: a time
that is now, the fastest way. Else a recorded call may stand for it whose arguments are the
same but for names, each similar enough, and coordinates, each near enough; of several the one with the best names, and
then the nearest, whatever the order of the recording. The answer says how it was found. All other arguments (waypoints are
coordinates, their number is not; options, times, radii, limits) must be equal.
"""

from __future__ import annotations

import marshal
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset, read_arguments
from planspec.families.mobilitybench.calls import NAMES, PLACES, TOOLS, Canonical, canonical, plain
from planspec.families.mobilitybench.snapshot import KnownCall, answered, answered_text, text_of
from planspec.geodesy import EARTH_M, central_angle
from planspec.verifiers.answers.names import telling

SIMILAR = 0.85
"""The least similarity (Indel, 0 to 1) of a name to the recorded one that may stand for it."""
NEAR = 200.0
"""The greatest distance, in metres, of a coordinate from the recorded one that may stand for it."""
MOST_SAID = 200_000
"""The most calls that are cached as they were sent."""


@dataclass(frozen=True, slots=True)
class Stand:
    """The match of a recorded call with another one; the least is the best.

    Attributes:
        unlike: 1 minus the least similarity of a name.
        metres: the greatest distance of a coordinate.
        total: of all distances.
    """

    unlike: float
    metres: float
    total: float


class ReplaySandbox(Toolset):
    """The ten tools over recorded calls; the same call is answered with the same text for ever.

    Args:
        snapshot: the recorded calls; the first one with the same arguments counts.
        similar: as `SIMILAR`.
        near: as `NEAR`.
        now: HH:MM, the time at which a call is meant that says none; None where that is not known.
        tools: as agents see them; arguments that are left out are at these defaults.
        more: answers what is not recorded here; an exact record there goes before a similar one here.
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
        self._said: dict[tuple[str, bytes], str] = {}
        self._exact: dict[tuple[str, Canonical], KnownCall] = {}
        self._same: dict[tuple[str, Canonical], KnownCall] = {}  # by what is meant
        self._alike: dict[tuple[str, Any], list[tuple[Canonical, KnownCall]]] = {}
        for call in snapshot:
            if call.key not in self._exact:
                said = self._meant(call.arguments)
                self._exact[call.key] = call
                self._same.setdefault((call.tool, said), call)
                self._alike.setdefault((call.tool, _shape(said)), []).append((said, call))

    def call_text(self, name: object, arguments: object) -> str:
        """The answer to a call as JSON text; a call that is sent again in the same words is not read again."""
        if not isinstance(name, str):
            return text_of(self.call(name, arguments))
        try:
            key = name, marshal.dumps(arguments)  # type: ignore[arg-type]
        except ValueError:  # what is no JSON
            return text_of(self.call(name, arguments))
        found = self._said.get(key)
        if found is None:
            found = self._text(name, arguments)
            if len(self._said) >= MOST_SAID:
                self._said.clear()
            self._said[key] = found
        return found

    def _text(self, name: str, arguments: object) -> str:
        known = self._models.get(name)
        if known is None:
            return text_of(self.call(name, arguments))
        try:
            return answered_text(*self._found(name, read_arguments(known[0], arguments)))
        except RefusedCallError as refused:
            return text_of(refused.result())

    def _answer(self, name: str, arguments: Arguments) -> JsonResult:
        return answered(*self._found(name, arguments))

    def _found(self, name: str, arguments: Arguments) -> tuple[KnownCall, JsonResult | None]:
        """The recorded call that answers one, and how well it stands for it if it is another.

        Raises:
            RefusedCallError: none does.
        """
        base = TOOLS[name][0]
        if type(arguments) is not base:  # other defaults are said to the recording's tool
            arguments = base.model_validate(arguments.model_dump())
        asked = canonical(arguments)
        stores = [self, *([] if self._more is None else [self._more])]
        found = next(filter(None, (store._same_as(name, asked) for store in stores)), None)
        if found is not None:
            return found, None
        best = next(filter(None, (store.like(name, asked) for store in stores)), None)
        if best is None:
            raise RefusedCallError("not-found", self._miss(name, self._meant(asked)))
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

    def _same_as(self, name: str, asked: Canonical) -> KnownCall | None:
        """The recorded call with the same arguments, or the same meaning."""
        found = self._exact.get((name, asked))
        return self._same.get((name, self._meant(asked))) if found is None else found

    def like(self, name: str, asked: Canonical) -> tuple[Stand, KnownCall] | None:
        """The recorded call that stands best for one, and how well."""
        asked = self._meant(asked)
        best: tuple[Stand, KnownCall] | None = None
        for said, call in self._alike.get((name, _shape(asked)), ()):
            stand = self._stands(asked, said)
            if stand is not None and (best is None or _order(stand, call) < _order(*best)):
                best = stand, call
        return best

    def recorded(self, name: object, arguments: object) -> KnownCall | None:
        """The recorded call that answers a call; None if none does."""
        known = self._models.get(name) if isinstance(name, str) else None
        try:
            return None if known is None else self._found(str(name), read_arguments(known[0], arguments))[0]
        except RefusedCallError:
            return None

    def _meant(self, arguments: Canonical) -> Canonical:
        """The arguments without a time that is now; by car that is meant only where traffic is minded."""
        if self._models is TOOLS:
            arguments = plain(arguments)
        if self._now is None or ("traffic_aware", False) in arguments:
            return arguments
        return tuple(pair for pair in arguments if pair not in (("depart_at", self._now), ("at", self._now)))

    def _stands(self, asked: Canonical, known: Canonical) -> Stand | None:
        """The match of a recorded call with one of the same shape; None if it must not stand for it."""
        unlike = metres = total = 0.0
        for (name, a), (_, b) in zip(asked, known, strict=True):
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
        return Stand(unlike, metres, total)

    def _miss(self, name: str, asked: Canonical) -> str:
        """Why nothing stands for a call, with what would help."""
        told = "nothing is recorded for this call"
        places = [value for key, value in asked if key in PLACES and isinstance(value, str)]
        turned = {value: ",".join(reversed(value.split(","))) for value in places}
        for call in self._exact.values():
            known = [value for key, value in call.arguments if key in PLACES and isinstance(value, str)]
            if any(distance(turned[a], b) <= self._near for a in places for b in known):
                return f"{told}; a longitude and a latitude may be exchanged: the longitude comes first"
        if not any(call.tool == name for call in self._exact.values()):
            return f"{told}: no call of {name} is"
        return told


def _plain(arguments: Canonical) -> JsonResult:
    """Arguments as JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in arguments}


def _order(stand: Stand, call: KnownCall) -> tuple[float, float, float, str]:
    """The best is the least; of equals that with the least arguments."""
    return stand.unlike, stand.metres, stand.total, repr(call.arguments)


def _shape(arguments: Canonical) -> Canonical:
    """The parts of a call that must be equal: its arguments, the number of their values, and all but names and places."""
    return tuple(
        (
            name,
            (len(value) if isinstance(value, tuple) else None) if name in NAMES or name in PLACES else value,
        )
        for name, value in arguments
    )


def _similarity(a: str, b: str) -> float:
    from rapidfuzz.distance import Indel

    if telling(a) != telling(b):  # the ring road's east is not its west, nor line 2 line 3
        return 0.0
    return Indel.normalized_similarity(a, b)


def distance(a: str, b: str) -> float:
    """Metres along the great circle between two places `longitude,latitude`."""
    (x1, y1), (x2, y2) = ([math.radians(float(part)) for part in place.split(",")] for place in (a, b))
    return EARTH_M * central_angle(y1, y2, x2 - x1)
