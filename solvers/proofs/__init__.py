"""Proofs that a task has no plan, only one plan or no better plan. They are checked without a solver."""
