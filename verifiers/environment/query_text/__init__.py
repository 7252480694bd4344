"""Comparison of a task's query with its data and constraints, by text patterns without a language model.

It finds amounts, dates and names that occur only in the query, or only in the data and constraints. A *given* is a
parameter of the task. Under `tells:`, the author quotes the words of the query that state a value.
"""
