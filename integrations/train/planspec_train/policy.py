"""A linear policy over hashed features, and its update by group-relative advantages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from planspec_train.features import Decision

Floats = NDArray[np.float64]
EPSILON = 1e-6


@dataclass(slots=True)
class Step:
    """A decision, the candidate that was chosen, and the probabilities of all."""

    decision: Decision
    chosen: int
    chances: Floats


@dataclass(slots=True)
class Policy:
    """Softmax over the scores of candidates, each a weighted sum of its features. It begins with equal chances.

    Attributes:
        size: number of parameters.
        rate: step size of Adam.
    """

    size: int = 4096
    rate: float = 0.05
    weights: Floats = field(init=False)
    _mean: Floats = field(init=False)
    _square: Floats = field(init=False)
    _updates: int = 0

    def __post_init__(self) -> None:
        self.weights, self._mean, self._square = (np.zeros(self.size) for _ in range(3))

    def save(self, file: Path) -> None:
        """Write the parameters to a file of NumPy."""
        np.save(file, self.weights)

    @classmethod
    def load(cls, file: Path) -> Policy:
        """Return the policy with the parameters of a file."""
        weights = np.load(file, allow_pickle=False)
        policy = cls(size=len(weights))
        policy.weights = weights
        return policy

    def chances(self, decision: Decision) -> Floats:
        """Return the probability of each candidate."""
        scores = np.bincount(decision.owners, self.weights[decision.places] * decision.values, minlength=decision.count)
        grown = np.exp(scores - scores.max())
        return grown / grown.sum()

    def choose(self, decision: Decision, generator: np.random.Generator, *, greedy: bool = False) -> Step:
        """Draw a candidate, or take the most probable one."""
        chances = self.chances(decision)
        chosen = int(chances.argmax()) if greedy else int(np.searchsorted(chances.cumsum(), generator.random()))
        return Step(decision, min(chosen, decision.count - 1), chances)

    def gradient(self, steps: Sequence[Step], advantage: float, entropy: float = 0.0) -> Floats:
        """Return the gradient of what an episode's choices are worth, summed over the steps.

        It is that of the log-probability of the choices times the advantage, plus that of the entropy of each decision.

        Args:
            steps: the decisions of an episode.
            advantage: the episode's advantage.
            entropy: weight of the entropy, which keeps the policy from settling too early.
        """
        total = np.zeros(self.size)
        for step in steps:
            decision, chances = step.decision, step.chances
            signs = -advantage * chances
            signs[step.chosen] += advantage
            if entropy:
                logs = np.log(chances + EPSILON)
                signs -= entropy * chances * (logs - chances @ logs)
            total += np.bincount(decision.places, decision.values * signs[decision.owners], minlength=self.size)
        return total

    def ascend(self, gradient: Floats) -> None:
        """Take one step of Adam along a gradient."""
        self._updates += 1
        self._mean = 0.9 * self._mean + 0.1 * gradient
        self._square = 0.99 * self._square + 0.01 * gradient**2
        mean, square = self._mean / (1 - 0.9**self._updates), self._square / (1 - 0.99**self._updates)
        self.weights = self.weights + self.rate * mean / (np.sqrt(square) + EPSILON)


def advantages(rewards: Sequence[float], addend: float = 0.0) -> Floats:
    """Return the advantage of each episode of a group: reward minus the group's mean, over the group's deviation.

    They sum to zero. If all rewards are equal, so that the group teaches nothing, all are 0.

    Args:
        rewards: rewards of the episodes of the group.
        addend: addition to the deviation. The greater it is, the less weigh groups whose rewards hardly differ.
    """
    values = np.asarray(rewards, dtype=float)
    spread = values.std()
    return np.zeros(len(values)) if spread < EPSILON else (values - values.mean()) / (spread + addend)
