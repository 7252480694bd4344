"""The replay sandbox of public episodes: it takes our tools' calls, and those of the public toolkit as that takes them."""

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
from planspec.families.mobilitybench.replay import ReplaySandbox, Stand
from planspec.families.mobilitybench.snapshot import KnownCall, text_of

SEARCH = "poi_query"
SAME = Stand(0.0, 0.0, 0.0)


class PublicSandbox(ReplaySandbox):
    """The ten tools over recorded calls of the public table and the toolkit's caches.

    A call in the toolkit's names, of a tool or of arguments, is the call of ours that asks the same, with the toolkit's defaults.

    Args:
        snapshot: the recorded calls; the first one with the same arguments counts.
        now: HH:MM, the time at which a call is meant that says none; None where that is not known.
        more: answers what is not recorded here.
    """

    def __init__(
        self, snapshot: Iterable[KnownCall], *, now: str | None = None, more: ReplaySandbox | None = None
    ) -> None:
        known = list(snapshot)
        super().__init__(known, now=now, tools=PUBLIC_TOOLS, more=more)
        self._searched: dict[Canonical, dict[object, KnownCall]] = {}
        for call in known:
            if call.tool == SEARCH:
                bare, city = _without_city(call.arguments)
                self._searched.setdefault(bare, {}).setdefault(city, call)

    def like(self, name: str, asked: Canonical) -> tuple[Stand, KnownCall] | None:
        """The recorded call that stands best for one; a search by name may say its city or not, as the toolkit takes it.

        A city that is said is never another one, and none that is left out is chosen among several.
        """
        best = super().like(name, asked)
        if best is not None or name != SEARCH:
            return best
        bare, city = _without_city(asked)
        known = self._searched.get(bare, {})
        found = known.get(None) if city is not None else next(iter(known.values()), None)
        return None if found is None or (city is None and len(known) > 1) else (SAME, found)

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool by either name, with either arguments."""
        try:
            return super().call(*_ours(name, arguments))
        except RefusedCallError as refused:
            return refused.result()

    def call_text(self, name: object, arguments: object) -> str:
        """The answer to a call as JSON text."""
        try:
            return super().call_text(*_ours(name, arguments))
        except RefusedCallError as refused:
            return text_of(refused.result())

    def recorded(self, name: object, arguments: object) -> KnownCall | None:
        """The recorded call that answers a call; None if none does."""
        try:
            return super().recorded(*_ours(name, arguments))
        except RefusedCallError:
            return None


def _without_city(arguments: Canonical) -> tuple[Canonical, object]:
    return tuple(pair for pair in arguments if pair[0] != "city"), dict(arguments).get("city")


def _ours(name: object, arguments: object) -> tuple[object, object]:
    """A call as ours: as it is, if our schema takes it, else as the toolkit's call of the tool.

    Raises:
        RefusedCallError: the toolkit knows the tool, and ours has no words for what it is asked.
    """
    if isinstance(name, str) and name in TOOLS:
        if name not in NAMES or _is_fit(name, arguments):
            return name, arguments
        said = translated(name if name in PUBLIC_NAMES else NAMES[name], arguments)
        fits = not isinstance(said, Untranslated) and _is_fit(*said)
        return (name, arguments) if isinstance(said, Untranslated) or not fits else said
    if isinstance(name, str) and name in PUBLIC_NAMES:
        return _translated(name, arguments)
    return name, arguments


def _translated(name: str, arguments: object) -> TranslatedCall:
    said = translated(name, arguments)
    if isinstance(said, Untranslated):
        raise RefusedCallError("invalid-arguments", said.reason)
    return said


def _is_fit(name: str, arguments: object) -> bool:
    try:
        read_arguments(PUBLIC_TOOLS[name][0], arguments)
    except RefusedCallError:
        return False
    return True
