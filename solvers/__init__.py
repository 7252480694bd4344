"""Lowering of a checked task to a problem, and the search for witnesses and proofs."""
