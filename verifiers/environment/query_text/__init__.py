"""Comparison of a task's query with its rules, by patterns rather than a language model.

It finds amounts, dates and names that occur only in the query or only in the rules.
"""
