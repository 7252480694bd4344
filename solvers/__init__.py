"""Solvers: translation of tasks into problems for constraint and SAT solvers, and the search for plans and proofs."""
