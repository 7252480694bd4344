"""planspec's tasks as an environment for the `verifiers` library: `--env.taskset.id planspec-verifiers`."""

from planspec_verifiers.env import PlanspecEnv
from planspec_verifiers.taskset import PlanspecTaskset

__all__ = ["PlanspecEnv", "PlanspecTaskset"]
