"""Tests of shortest tours: all methods give the lengths that enumeration gives."""
