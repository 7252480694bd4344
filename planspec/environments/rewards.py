"""Dense reward of an answer, and the floor up to which a failing plan earns nothing.

An answer that passes earns `0.8 + 0.2 s`, where `s` is the share of its soft constraints that hold (1 without
any). One that fails earns `0.4 max(0, (h - f) / (1 - f))`, where `h` is the share of its hard constraints
that hold and `f` the task's floor. No plan earns nothing.

Some answers can be given without looking at the task: the empty answer, and the right answers to other tasks in
the same folder, which are taken from their certificates. The floor is the greatest share of hard constraints that one
of these satisfies. Neither these answers nor a constant answer that does no better therefore earn anything.
Without such certificates the floor is unknown, and only a passing answer earns something. If one of these
answers passes, because few answers are possible, a pass earns something only after a tool call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from planspec.api import certificates
from planspec.api.judging import Judge
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.generic import hard_share, satisfied_share

PASS, SOFT, NEAR = Fraction(8, 10), Fraction(2, 10), Fraction(4, 10)
"""Reward of a pass, additional reward for all soft constraints, and bound on a failing plan's reward."""
NEIGHBOURS = 64
"""Maximum number of other tasks whose right answers are tried; they are spread evenly over the folder."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Result of the best answer that can be given without looking at the task.

    Attributes:
        share: greatest share of satisfied hard constraints, from 0 to 1.
        passes: whether one of the answers that can be given so passes.
    """

    share: Fraction
    passes: bool = False


def dense_reward(verdict: Verdict, floor: Floor | None, *, blind: bool = False) -> Fraction:
    """Return the reward of a verdict, from 0 to 1.

    Args:
        verdict: verdict on an answer.
        floor: floor of the task; None if unknown.
        blind: whether the agent had tools and called none.
    """
    if verdict.status == "pass":
        guessed = blind and floor is not None and floor.passes
        return Fraction(0) if guessed else PASS + SOFT * satisfied_share(verdict.soft)
    if verdict.status == "undelivered" or floor is None or floor.share >= 1:
        return Fraction(0)
    return NEAR * max(Fraction(0), (hard_share(verdict) - floor.share) / (1 - floor.share))


def measure_floor(judge: Judge, task: Path) -> Floor | None:
    """Measure the floor of a task with the certified answers to other tasks.

    Return None if no other task in the same folder has a certificate.

    Args:
        judge: judge of the task at its last turn.
        task: file of the task.
    """
    others = list(_answers_of_other_tasks(judge, task))
    if not others:
        return None
    verdicts = [judge.answer(answer, details="none") for answer in ({}, *others)]
    return Floor(max(map(hard_share, verdicts)), any(verdict.status == "pass" for verdict in verdicts))


def _answers_of_other_tasks(judge: Judge, task: Path) -> Iterator[Any]:
    """Yield right answers to other tasks, from the certificates in the same folder."""
    own = certificates.certificate_path(task, judge.task.id)
    for path in _select_evenly([path for path in sorted(own.parent.glob("*.json")) if path != own]):
        try:
            certificate = certificates.read(path)
        except (ValueError, OSError):
            continue  # not a certificate, so it has no right answer
        yield from (plan for plan in (certificate.witness, certificate.second) if plan is not None)


def _select_evenly(paths: Sequence[Path]) -> Sequence[Path]:
    if len(paths) <= NEIGHBOURS:
        return paths
    return [paths[place * len(paths) // NEIGHBOURS] for place in range(NEIGHBOURS)]
