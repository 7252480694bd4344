"""Worlds and tasks in the language, written from public data sets."""
