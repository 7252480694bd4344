"""Decisions of a policy in a role, recorded by conversation."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from planspec_train.features import Features
from planspec_train.policy import Policy, Step

Calls: TypeAlias = Sequence[tuple[str, Mapping[str, Any]]]
"""Names of tools and arguments: the calls of one reply."""
Results: TypeAlias = Sequence[Mapping[str, Any]]
"""Results of the calls of one reply, in the same order."""
Conversation: TypeAlias = Generator[Calls, Results, None]
"""A role: it yields the calls of each reply, and receives their results."""


@dataclass(slots=True)
class Decider:
    """Makes the decisions in one conversation of a role by a policy, and records them.

    Attributes:
        policy: the policy, which both roles share.
        role: `coordinator` or `executor`; part of every feature.
        generator: source of randomness.
        greedy: whether to take the most probable candidate at each decision.
        steps: the decisions so far.
    """

    policy: Policy
    role: str
    generator: np.random.Generator
    greedy: bool = False
    steps: list[Step] = field(default_factory=list)

    def choose(self, name: str, candidates: Sequence[Sequence[object]]) -> int:
        """Choose among candidates, each given by its features; return the index of the chosen one.

        Args:
            name: name of the decision; part of every feature.
            candidates: for each candidate, the names of its binary features.
        """
        if len(candidates) == 1:
            return 0
        features = Features(self.policy.size, len(candidates))
        for place, names in enumerate(candidates):
            for feature in names:
                features.add(place, self.role, name, feature)
        step = self.policy.choose(features.finish(), self.generator, greedy=self.greedy)
        self.steps.append(step)
        return step.chosen
