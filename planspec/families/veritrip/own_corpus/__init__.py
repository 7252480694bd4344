"""Corpus of one's own documents and pictures, for an imported fact base."""
