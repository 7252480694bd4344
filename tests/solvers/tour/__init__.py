"""Shortest tours, against enumeration and against each other."""
