"""Comparison of a task's query with its rules, without a model: amounts, dates and names on one side alone."""
