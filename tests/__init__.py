"""Tests. They are a package so that they can share modules; the folders mirror the code."""
