"""Proofs, checked without a solver, that a task has no plan or no other plan than its witness."""
