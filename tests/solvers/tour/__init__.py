"""Shortest tours equal those of enumeration, whatever the method."""
