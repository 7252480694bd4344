"""The replay sandbox of public episodes, which accepts our tools' calls and those of the public toolkit."""

from __future__ import annotations

from collections.abc import Iterable

from planspec.agents.tools import JsonResult, RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import TOOLS, Canonical
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC_NAMES
from planspec.families.mobilitybench.public.asking import NAMES
from planspec.families.mobilitybench.public.translation import (
    PUBLIC_TOOLS,
    TranslatedCall,
    Untranslated,
    translated,
)
from planspec.families.mobilitybench.replay import MatchQuality, ReplaySandbox
from planspec.families.mobilitybench.snapshot import KnownCall, text_of

SEARCH = "poi_query"
SAME = MatchQuality(0.0, 0.0, 0.0)


class PublicSandbox(ReplaySandbox):
    """The ten tools over recorded calls of the public table and the toolkit's caches.

    A call with the toolkit's names of tool or arguments is translated to the equivalent call of ours, with
    the toolkit's defaults.

    Args:
        snapshot: recorded calls; the first with the same arguments counts.
        now: HH:MM, the time of a call that gives none; None if unknown.
        more: fallback for calls that are not recorded here.
    """

    def __init__(
        self, snapshot: Iterable[KnownCall], *, now: str | None = None, more: ReplaySandbox | None = None
    ) -> None:
        calls = list(snapshot)
        super().__init__(calls, now=now, tools=PUBLIC_TOOLS, more=more)
        self._searched: dict[Canonical, dict[object, KnownCall]] = {}
        for call in calls:
            if call.tool == SEARCH:
                bare, city = _without_city(call.arguments)
                self._searched.setdefault(bare, {}).setdefault(city, call)

    def like(self, name: str, query: Canonical) -> tuple[MatchQuality, KnownCall] | None:
        """Return the recorded call that matches best, and how well.

        A search by name may give its city or not, as in the toolkit. A given city must match, and an omitted
        one is not chosen among several.
        """
        best = super().like(name, query)
        if best is not None or name != SEARCH:
            return best
        bare, city = _without_city(query)
        by_city = self._searched.get(bare, {})
        match = by_city.get(None) if city is not None else next(iter(by_city.values()), None)
        return None if match is None or (city is None and len(by_city) > 1) else (SAME, match)

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool by either name, with either arguments."""
        try:
            return super().call(*_ours(name, arguments))
        except RefusedCallError as refused:
            return refused.result()

    def call_text(self, name: object, arguments: object) -> str:
        """Answer a call with JSON text."""
        try:
            return super().call_text(*_ours(name, arguments))
        except RefusedCallError as refused:
            return text_of(refused.result())

    def recorded(self, name: object, arguments: object) -> KnownCall | None:
        """Return the recorded call that answers a call; None if there is none."""
        try:
            return super().recorded(*_ours(name, arguments))
        except RefusedCallError:
            return None


def _without_city(arguments: Canonical) -> tuple[Canonical, object]:
    return tuple(pair for pair in arguments if pair[0] != "city"), dict(arguments).get("city")


def _ours(name: object, arguments: object) -> tuple[object, object]:
    """Return a call as ours: unchanged if our schema accepts it, otherwise translated from the toolkit's.

    Raises:
        RefusedCallError: the toolkit has the tool, but ours have no words for the query.
    """
    if isinstance(name, str) and name in TOOLS:
        if name not in NAMES or _is_fit(name, arguments):
            return name, arguments
        translation = translated(name if name in PUBLIC_NAMES else NAMES[name], arguments)
        is_valid = not isinstance(translation, Untranslated) and _is_fit(*translation)
        return (name, arguments) if isinstance(translation, Untranslated) or not is_valid else translation
    if isinstance(name, str) and name in PUBLIC_NAMES:
        return _translated(name, arguments)
    return name, arguments


def _translated(name: str, arguments: object) -> TranslatedCall:
    translation = translated(name, arguments)
    if isinstance(translation, Untranslated):
        raise RefusedCallError("invalid-arguments", translation.reason)
    return translation


def _is_fit(name: str, arguments: object) -> bool:
    try:
        read_arguments(PUBLIC_TOOLS[name][0], arguments)
    except RefusedCallError:
        return False
    return True
