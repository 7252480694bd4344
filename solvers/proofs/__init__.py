"""Proofs that are checked without a solver: that a task has no plan, or no other one than its witness."""
