"""Tests of requests in natural language that are written from a task's specification."""
