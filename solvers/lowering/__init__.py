"""Lowering: translation of a grounded task into a problem in the intermediate representation (IR)."""
