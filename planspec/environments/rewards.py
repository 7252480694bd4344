"""The dense reward of an answer, and the floor below which nothing is earned.

An answer that passes earns `0.8 + 0.2 s`, where `s` is the share of its soft constraints that hold (1 without any). One that
fails earns `0.4 max(0, (h - f) / (1 - f))`, where `h` is the share of its hard constraints that hold and `f` the task's floor.
No plan earns nothing.

The floor is the greatest share of the hard constraints that hold for answers which one can give without a look at the task: the
empty one, and the right answers to the tasks beside it, as their certificates have them. So neither they nor a constant that
does no better earn anything. Where no certificate tells them the floor is not known, and only an answer that passes earns something.
Where one of them passes by itself, as one of few possible answers, a pass earns something only if a tool was asked before.
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
from planspec.verifiers.metrics.generic import hard_share, satisfied

PASS, SOFT, NEAR = Fraction(8, 10), Fraction(2, 10), Fraction(4, 10)
"""What passing earns, what all soft constraints add, and the bound of what a failing plan earns."""
NEIGHBOURS = 64
"""The most tasks beside a task whose right answers are tried; of more so many are taken, evenly spread."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What can be earned of a task without a look at it.

    Attributes:
        share: share of the hard constraints, from 0 to 1.
        passes: one of the answers passes.
    """

    share: Fraction
    passes: bool = False


def dense_reward(verdict: Verdict, floor: Floor | None, *, blind: bool = False) -> Fraction:
    """The reward of a verdict, from 0 to 1.

    Args:
        verdict: on an answer.
        floor: of the task; None where it is not known.
        blind: there were tools, and none was asked.
    """
    if verdict.status == "pass":
        guessed = blind and floor is not None and floor.passes
        return Fraction(0) if guessed else PASS + SOFT * satisfied(verdict.soft)
    if verdict.status == "undelivered" or floor is None or floor.share >= 1:
        return Fraction(0)
    return NEAR * max(Fraction(0), (hard_share(verdict) - floor.share) / (1 - floor.share))


def measured_floor(judge: Judge, task: Path) -> Floor | None:
    """The floor of a task; None where no certificate of another task stands beside its own.

    Args:
        judge: judge of the task, at the turn that counts.
        task: its file.
    """
    others = list(_answers_of_others(judge, task))
    if not others:
        return None
    verdicts = [judge.answer(answer, details="none") for answer in ({}, *others)]
    return Floor(max(map(hard_share, verdicts)), any(verdict.status == "pass" for verdict in verdicts))


def _answers_of_others(judge: Judge, task: Path) -> Iterator[Any]:
    own = certificates.certificate_path(task, judge.task.id)
    for path in _spread([path for path in sorted(own.parent.glob("*.json")) if path != own]):
        try:
            found = certificates.read(path)
        except (ValueError, OSError):
            continue  # a file that is no certificate tells no right answer
        yield from (plan for plan in (found.witness, found.second) if plan is not None)


def _spread(paths: Sequence[Path]) -> Sequence[Path]:
    if len(paths) <= NEIGHBOURS:
        return paths
    return [paths[place * len(paths) // NEIGHBOURS] for place in range(NEIGHBOURS)]
