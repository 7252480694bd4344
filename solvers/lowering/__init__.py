"""Grounded task -> problem in the intermediate representation."""
