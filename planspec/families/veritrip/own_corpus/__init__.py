"""Corpus of a user's documents and pictures, for an imported fact base."""
