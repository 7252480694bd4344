"""The policy of `integrations/train` learns in planspec's environments. Its updates are right and reproducible."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planspec

PACKAGE = Path(__file__).parents[3] / "integrations" / "train"
TASK = """
planspec: task/1
id: {id}
query: The bread is baked before {by}.
types: {{Oven: stone | fan}}
tables:
  Bread:
    columns: {{ready: time, oven: Oven}}
    rows:
      - {{id: rye, ready: "{ready}", oven: {oven}}}
given: {{by: {by}}}
environment:
  shows: {{Bread: all, asked: [by]}}
plan: {{bakes: {{bread: key Bread, oven: Oven, start: time}}}}
scope: {{bakes: [{{for: b in Bread, bread: b, oven: Oven, start: 06:00..10:00 step 1h}}]}}
closed: true
constraints:
  suitable: {{hard: all(b.oven == b.bread.oven for b in bakes)}}
  ready: {{hard: all(b.start >= b.bread.ready and b.start < by for b in bakes)}}
"""


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the modules of the package `planspec_train` by name."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    return {name: import_module(f"planspec_train.{name}") for name in ("policy", "features", "episodes", "training")}


def decision_of(modules: dict[str, Any], size: int) -> Any:
    """Return the hashed features of a decision among three candidates of different colours, in `size` buckets."""
    features = modules["features"].Features(size, 3)
    for candidate in range(3):
        features.add(candidate, "colour", candidate)
    return features.finish()


def test_advantages_are_relative_to_the_group_and_sum_to_zero(modules: dict[str, Any]) -> None:
    advantages = modules["policy"].advantages
    paid = advantages([0.0, 0.4, 1.0, 0.0])
    assert paid.sum() == pytest.approx(0) and paid.std() == pytest.approx(1)
    assert list(np.argsort(paid)[-2:]) == [1, 2]
    assert not advantages([0.4, 0.4]).any()  # equal rewards have no advantage


def test_a_step_makes_the_better_answer_of_a_group_more_probable(modules: dict[str, Any]) -> None:
    policy = modules["policy"].Policy(size=256)
    decision = decision_of(modules, 256)
    before = policy.chances(decision)
    assert before == pytest.approx([1 / 3] * 3)
    paid = modules["policy"].advantages([0.0, 1.0, 0.0])
    steps = [modules["policy"].Step(decision, chosen, before) for chosen in range(3)]
    policy.ascend(sum(policy.gradient([step], advantage) for step, advantage in zip(steps, paid, strict=True)))
    after = policy.chances(decision)
    assert after[1] > before[1] and after[0] < before[0] and after[2] < before[2]


def test_the_entropy_bonus_makes_a_nearly_deterministic_policy_less_certain(modules: dict[str, Any]) -> None:
    policy = modules["policy"].Policy(size=256)
    decision = decision_of(modules, 256)
    policy.weights = policy.weights + policy.gradient(
        [modules["policy"].Step(decision, 0, policy.chances(decision))], 1.0
    )
    before = policy.chances(decision)
    policy.ascend(policy.gradient([modules["policy"].Step(decision, 0, before)], 0.0, entropy=1.0))
    assert policy.chances(decision).max() < before.max()


@pytest.mark.slow
def test_equal_seeds_give_equal_curves(modules: dict[str, Any]) -> None:
    training = modules["training"]
    texts = [
        TASK.format(id=f"bread-{n}", by=f"{9 - n:02}:00", ready=f"{6 + n:02}:00", oven=("stone", "fan")[n])
        for n in range(2)
    ]
    environments = [planspec.environment(planspec.loads(text), floor=0.0) for text in texts]
    tasks = [training.Task(each, modules["episodes"].observed_facts(each)) for each in environments]
    settings = training.TrainingSettings(steps=6, groups=2, episodes=8)

    def curve(seed: int) -> list[float]:
        policy, rewards = modules["policy"].Policy(size=512), []
        training.train(
            policy, tasks, settings, seed, lambda step: rewards.append(training.measure(policy, tasks, step)["reward"])
        )
        return rewards

    first = curve(1)
    assert first == curve(1)
    assert first != curve(2)
