"""Runs of one model that thinks before it replies, and of the same model that does not, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.scores import RunScores, compare
from planspec.scores.record import Difference

OFF = "off"
WITHOUT = frozenset(("none", "minimal", "off", "disabled"))
"""Efforts that are none."""
ALIKE = ("model", "base_url", "loop", "tools")
"""What two runs of one model have in common, as agents say it of themselves."""


@dataclass(frozen=True, slots=True)
class ThinkingRow:
    """One run among those of a model.

    Attributes:
        place: of the run among those of the chapter.
        mode: how it thinks: `on`, `off`, or the effort that it makes.
        scores: of the run.
        against: how much more it passes than the run that does not think, over the tasks that both have; None for that
            run itself, and where there is none.
    """

    place: int
    mode: str
    scores: RunScores
    against: Difference | None


@dataclass(frozen=True, slots=True)
class ThinkingModel:
    """The runs of one model that differ in how it thinks; those that do not think come first."""

    model: str
    setting: str
    rows: tuple[ThinkingRow, ...]


def thinking_models(runs: Iterable[RunScores]) -> list[ThinkingModel]:
    """The models of which some runs think otherwise than others.

    Args:
        runs: of one suite.
    """
    found: dict[tuple[Any, ...], list[tuple[int, str, RunScores]]] = {}
    for place, scores in enumerate(runs):
        about = scores.run.about
        mode = mode_of(about)
        if mode is not None and about.get("model") is not None:
            key = scores.run.setting, *(str(about.get(name)) for name in ALIKE)
            found.setdefault(key, []).append((place, mode, scores))
    return [
        ThinkingModel(str(members[0][2].run.about["model"]), members[0][2].run.setting, _rows(members))
        for members in found.values()
        if len({mode for _, mode, _ in members}) > 1
    ]


def mode_of(about: Mapping[str, Any]) -> str | None:
    """How an agent thinks, by its own account; None where that says nothing."""
    body = about.get("extra_body")
    body = body if isinstance(body, Mapping) else {}
    template = body.get("chat_template_kwargs")
    told = [about.get("thinking"), body.get("enable_thinking")]
    if isinstance(template, Mapping):
        told += [template.get("enable_thinking"), template.get("thinking")]
    for value in told:
        if isinstance(value, bool):
            return "on" if value else OFF
    of_service = body.get("thinking")
    efforts = [about.get("reasoning_effort"), body.get("reasoning_effort")]
    if isinstance(of_service, Mapping):
        efforts.append(of_service.get("type"))
    for effort in efforts:
        if isinstance(effort, str) and effort:
            return OFF if effort in WITHOUT else "on" if effort == "enabled" else effort
    return None


def _rows(members: Sequence[tuple[int, str, RunScores]]) -> tuple[ThinkingRow, ...]:
    ordered = sorted(members, key=lambda member: (member[1] != OFF, member[0]))
    first = ordered[0][2] if ordered[0][1] == OFF else None
    return tuple(
        ThinkingRow(place, mode, scores, None if first is None or mode == OFF else _against(first, scores))
        for place, mode, scores in ordered
    )


def _against(first: RunScores, second: RunScores) -> Difference | None:
    """The difference of the pass rates."""
    return next(iter(compare(first, second).differences), None)
