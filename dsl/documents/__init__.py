"""Elaboration of documents into a checked task: declarations, givens, definitions, constraints, scope, turns."""
