"""planspec's tasks as environments of TRL's `GRPOTrainer`."""

from planspec_trl.suite import PlanspecSuite, UnsuitableToolError

__all__ = ["PlanspecSuite", "UnsuitableToolError"]
