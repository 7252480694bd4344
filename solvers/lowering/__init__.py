"""Lowering of a grounded task to a problem in the intermediate representation."""
