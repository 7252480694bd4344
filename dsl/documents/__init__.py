"""Elaboration of documents into checked tasks: declarations, definitions, constraints, scope, turns."""
