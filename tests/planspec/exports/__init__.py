"""Tests of what is written for others."""
