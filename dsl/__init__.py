"""The language: from characters to a checked task."""
