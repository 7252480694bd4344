"""Replay sandbox of public episodes. It accepts calls of our tools and of the public toolkit's tools."""

from __future__ import annotations

from collections.abc import Iterable

from planspec.agents.tools import JsonResult, RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import TOOLS, Canonical
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC_NAMES
from planspec.families.mobilitybench.public.toolkit_calls import NAMES
from planspec.families.mobilitybench.public.translation import (
    PUBLIC_TOOLS,
    TranslatedCall,
    UntranslatableCall,
    translate_call,
)
from planspec.families.mobilitybench.replay import MatchQuality, ReplaySandbox
from planspec.families.mobilitybench.snapshot import KnownCall, text_of

SEARCH = "poi_query"
SAME = MatchQuality(0.0, 0.0, 0.0)


class PublicSandbox(ReplaySandbox):
    """Sandbox with the ten tools. It answers from recorded calls of the public table and of the toolkit's caches.

    A call that uses the toolkit's name or arguments for a tool is translated to the equivalent call of our tool.
    Omitted arguments have the toolkit's defaults.

    Args:
        snapshot: recorded calls. If several have the same arguments, the first is used.
        now: current time as HH:MM, for calls without a time; None if unknown.
        fallback: sandbox that answers calls without a matching record.
    """

    def __init__(
        self, snapshot: Iterable[KnownCall], *, now: str | None = None, fallback: ReplaySandbox | None = None
    ) -> None:
        calls = list(snapshot)
        super().__init__(calls, now=now, tools=PUBLIC_TOOLS, fallback=fallback)
        self._searched: dict[Canonical, dict[object, KnownCall]] = {}
        for call in calls:
            if call.tool == SEARCH:
                bare, city = _without_city(call.arguments)
                self._searched.setdefault(bare, {}).setdefault(city, call)

    def best_similar_call(self, name: str, query: Canonical) -> tuple[MatchQuality, KnownCall] | None:
        """Return the most similar recorded call with the quality of the match, or None if no call is similar.

        In a search by name, either the call or the recorded call may omit the city. If the call omits it, there is
        a match only if the search was recorded for exactly one city.
        """
        best = super().best_similar_call(name, query)
        if best is not None or name != SEARCH:
            return best
        bare, city = _without_city(query)
        by_city = self._searched.get(bare, {})
        match = by_city.get(None) if city is not None else next(iter(by_city.values()), None)
        return None if match is None or (city is None and len(by_city) > 1) else (SAME, match)

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool by our name and arguments, or by the toolkit's."""
        try:
            return super().call(*_our_call(name, arguments))
        except RefusedCallError as refused:
            return refused.result()

    def call_text(self, name: object, arguments: object) -> str:
        """Call a tool as `call` does, and return the answer as JSON text."""
        try:
            return super().call_text(*_our_call(name, arguments))
        except RefusedCallError as refused:
            return text_of(refused.result())

    def matching_record(self, name: object, arguments: object) -> KnownCall | None:
        """Return the recorded call that matches a call, or None if there is none."""
        try:
            return super().matching_record(*_our_call(name, arguments))
        except RefusedCallError:
            return None


def _without_city(arguments: Canonical) -> tuple[Canonical, object]:
    return tuple(pair for pair in arguments if pair[0] != "city"), dict(arguments).get("city")


def _our_call(name: object, arguments: object) -> tuple[object, object]:
    """Return an equivalent call of our tools: the same call if our schema accepts it, otherwise its translation.

    Raises:
        RefusedCallError: it is a call of the toolkit that our tools cannot express.
    """
    if isinstance(name, str) and name in TOOLS:
        if name not in NAMES or _fits_schema(name, arguments):
            return name, arguments
        translation = translate_call(name if name in PUBLIC_NAMES else NAMES[name], arguments)
        is_valid = not isinstance(translation, UntranslatableCall) and _fits_schema(*translation)
        return (name, arguments) if isinstance(translation, UntranslatableCall) or not is_valid else translation
    if isinstance(name, str) and name in PUBLIC_NAMES:
        return _translate_or_refuse(name, arguments)
    return name, arguments


def _translate_or_refuse(name: str, arguments: object) -> TranslatedCall:
    translation = translate_call(name, arguments)
    if isinstance(translation, UntranslatableCall):
        raise RefusedCallError("invalid-arguments", translation.reason)
    return translation


def _fits_schema(name: str, arguments: object) -> bool:
    try:
        read_arguments(PUBLIC_TOOLS[name][0], arguments)
    except RefusedCallError:
        return False
    return True
