"""Seeded mistakes in the queries and values of shipped tasks, and the share of mistakes that is found."""
