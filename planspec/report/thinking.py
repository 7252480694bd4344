"""Comparison of runs of the same model with different settings for thinking before a reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.scores import RunScores, compare
from planspec.scores.record import Difference

OFF = "off"
WITHOUT = frozenset(("none", "minimal", "off", "disabled"))
"""Effort values that switch thinking off."""
ALIKE = ("model", "base_url", "loop", "tools")
"""Keys of the agent's description in its run. Only runs with the same values for all of them are compared."""


@dataclass(frozen=True, slots=True)
class ThinkingRow:
    """A run of a model, with its thinking setting.

    Attributes:
        run_index: index of the run among the runs of the chapter, counted from 0.
        mode: thinking setting: `on`, `off`, or an effort such as `high`.
        scores: scores of the run.
        against: pass rate of this run minus that of the run without thinking, over common tasks. None for the run
            without thinking itself, or if there is none.
    """

    run_index: int
    mode: str
    scores: RunScores
    against: Difference | None


@dataclass(frozen=True, slots=True)
class ThinkingModel:
    """Runs of one model with different thinking settings. Runs without thinking come first."""

    model: str
    setting: str
    rows: tuple[ThinkingRow, ...]


def thinking_models(runs: Iterable[RunScores]) -> list[ThinkingModel]:
    """Return the models whose runs differ in the thinking setting.

    Args:
        runs: scores of the runs of one suite.
    """
    groups: dict[tuple[Any, ...], list[tuple[int, str, RunScores]]] = {}
    for run_index, scores in enumerate(runs):
        about = scores.run.about
        mode = mode_of(about)
        if mode is not None and about.get("model") is not None:
            key = scores.run.setting, *(str(about.get(name)) for name in ALIKE)
            groups.setdefault(key, []).append((run_index, mode, scores))
    return [
        ThinkingModel(str(members[0][2].run.about["model"]), members[0][2].run.setting, _rows(members))
        for members in groups.values()
        if len({mode for _, mode, _ in members}) > 1
    ]


def mode_of(about: Mapping[str, Any]) -> str | None:
    """Return an agent's thinking setting, from its description of itself.

    The result is `on`, `off`, or the name of an effort such as `high`; None if it is unknown.
    """
    body = about.get("extra_body")
    body = body if isinstance(body, Mapping) else {}
    template = body.get("chat_template_kwargs")
    switches = [about.get("thinking"), body.get("enable_thinking")]
    if isinstance(template, Mapping):
        switches += [template.get("enable_thinking"), template.get("thinking")]
    for value in switches:
        if isinstance(value, bool):
            return "on" if value else OFF
    service_thinking = body.get("thinking")
    efforts = [about.get("reasoning_effort"), body.get("reasoning_effort")]
    if isinstance(service_thinking, Mapping):
        efforts.append(service_thinking.get("type"))
    for effort in efforts:
        if isinstance(effort, str) and effort:
            return OFF if effort in WITHOUT else "on" if effort == "enabled" else effort
    return None


def _rows(members: Sequence[tuple[int, str, RunScores]]) -> tuple[ThinkingRow, ...]:
    ordered = sorted(members, key=lambda member: (member[1] != OFF, member[0]))
    first = ordered[0][2] if ordered[0][1] == OFF else None
    return tuple(
        ThinkingRow(
            run_index,
            mode,
            scores,
            None if first is None or mode == OFF else _pass_rate_difference(first, scores),
        )
        for run_index, mode, scores in ordered
    )


def _pass_rate_difference(first: RunScores, second: RunScores) -> Difference | None:
    """Return the difference of the pass rates, second minus first; None if it is unknown."""
    return next(iter(compare(first, second).differences), None)
