"""Solvers: translation of a checked task to a solver's problem, and the search for plans and proofs."""
