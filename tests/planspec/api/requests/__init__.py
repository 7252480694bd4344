"""Tests of requests written from the specification."""
