"""Tests of audits of other people's scorers."""
