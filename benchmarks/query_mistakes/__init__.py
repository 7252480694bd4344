"""Seeded mistakes in the queries and values of shipped tasks, and the share of them that is found."""
