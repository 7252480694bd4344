"""A linear softmax policy over hashed features, updated by policy gradients with group-relative advantages."""

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
    """A decision that was made: the index of the chosen candidate, and the probabilities of all candidates."""

    decision: Decision
    chosen: int
    chances: Floats


@dataclass(slots=True)
class Policy:
    """A softmax over scores of candidates. A score is the weighted sum of a candidate's features.

    All weights are 0 at first, so that all candidates are equally likely.

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
        """Write the parameters to a NumPy file (`.npy`)."""
        np.save(file, self.weights)

    @classmethod
    def load(cls, file: Path) -> Policy:
        """Return a policy with the parameters in a file."""
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
        """Return the policy gradient of an episode, as a sum over its decisions.

        It is the gradient of advantage times log-probability of the chosen candidates, plus the gradient of the
        decisions' entropy times its weight.

        Args:
            steps: the decisions of an episode.
            advantage: the episode's advantage.
            entropy: weight of the entropy bonus, which keeps the policy exploring.
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
        """Take one step of Adam in the direction of a gradient (ascent)."""
        self._updates += 1
        self._mean = 0.9 * self._mean + 0.1 * gradient
        self._square = 0.99 * self._square + 0.01 * gradient**2
        mean, square = self._mean / (1 - 0.9**self._updates), self._square / (1 - 0.99**self._updates)
        self.weights = self.weights + self.rate * mean / (np.sqrt(square) + EPSILON)


def advantages(rewards: Sequence[float], addend: float = 0.0) -> Floats:
    """Return the advantages of a group of episodes: (reward - mean) / (standard deviation + addend).

    They sum to zero. If all rewards are equal, all advantages are 0.

    Args:
        rewards: rewards of the group's episodes.
        addend: number added to the deviation, which lowers the weight of groups with almost equal rewards.
    """
    values = np.asarray(rewards, dtype=float)
    spread = values.std()
    return np.zeros(len(values)) if spread < EPSILON else (values - values.mean()) / (spread + addend)
