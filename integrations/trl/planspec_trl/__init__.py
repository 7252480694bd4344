"""planspec's tasks as environments of TRL's `GRPOTrainer`."""

from planspec_trl.suite import PlanspecSuite, UnfitTool

__all__ = ["PlanspecSuite", "UnfitTool"]
