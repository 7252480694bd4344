"""Diagnostics of mistakes in an author's text: sources with positions, codes, and output formats."""
