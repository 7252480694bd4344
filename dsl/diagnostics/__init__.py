"""Mistakes in an author's text: sources with positions, codes, and the forms in which they are reported."""
