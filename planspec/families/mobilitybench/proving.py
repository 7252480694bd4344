"""Checks of generated episodes: whether the reference answer passes, and whether wishes affect the verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.calls import TOOLS, canonical_arguments, route_id
from planspec.families.mobilitybench.drawing.decoys import WISHES
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode, ScenarioFamily
from planspec.families.mobilitybench.judging import judge_of_text
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.row_collector import EpisodeRows, rows_of_episode
from planspec.families.mobilitybench.rows_database import RowsDatabase
from planspec.families.mobilitybench.suite_files import BASE
from planspec.families.mobilitybench.tasks import task_text

if TYPE_CHECKING:
    from planspec.verifiers.meaning.verdict import Verdict


@dataclass(frozen=True, slots=True)
class EpisodeProof:
    """Result of the checks of an episode.

    Attributes:
        broken_rules: ids of the constraints that the reference answer violates, joined; None if the answer passes.
        wishes_are_binding: whether the best route without the wishes fails the task; None if there are no wishes or
            this route is not recorded.
        episode_rows: rows of the task's tables.
    """

    broken_rules: str | None
    wishes_are_binding: bool | None
    episode_rows: EpisodeRows


def prove(episodes: Sequence[Episode]) -> dict[str, EpisodeProof]:
    """Check each episode with the verifier. Return the results by episode id."""
    proofs: dict[str, EpisodeProof] = {}
    with TemporaryDirectory() as name:
        base = Path(name) / BASE
        episode_rows = {episode.id: rows_of_episode(episode) for episode in episodes}
        with RowsDatabase(base) as writer:
            for episode in episodes:
                writer.add(episode.id, episode_rows[episode.id])
        for episode in episodes:
            text = task_text(episode, BASE, episode_rows[episode.id])
            judge = judge_of_text(text, base.with_name(f"{episode.id}.yaml"))
            verdict = judge.answer(json.dumps(reference_answer(episode), ensure_ascii=False))
            plain = best_route_without_wishes(episode)
            wishes_are_binding = None
            if plain is not None:
                wishes_are_binding = judge.answer({"answer": {"route": plain}}, details="none").status != "pass"
            broken_rules = None if verdict.status == "pass" else _violated_rules(verdict)
            proofs[episode.id] = EpisodeProof(broken_rules, wishes_are_binding, episode_rows[episode.id])
    return proofs


def best_route_without_wishes(episode: Episode) -> str | None:
    """Return the id of the best recorded route for the request without its wishes; None if none is recorded."""
    if episode.scenario.family is not ScenarioFamily.CONSTRAINED_PLANNING:
        return None
    calls = [call for call in episode.program if call.tool in ROUTE_TOOLS]
    first, last = calls[0], calls[-1]
    bare = {k: v for k, v in first.arguments.items() if k not in WISHES and k != "waypoints"}
    bare["destination"] = last.arguments["destination"]
    arguments = canonical_arguments(read_arguments(TOOLS[first.tool][0], bare))
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in arguments}
    for record in episode.snapshot:
        result = record.result
        if record.tool == first.tool and record.arguments == plain and isinstance(result, dict) and "routes" in result:
            return route_id(first.tool, arguments, 1)
    return None


def _violated_rules(verdict: Verdict) -> str:
    """Return the ids of the violated constraints, joined; the verdict's status if there are none."""
    names = {f.constraint.partition("[")[0] for f in verdict.findings if f.status == "violated"}
    return ", ".join(sorted(names)) or verdict.status
