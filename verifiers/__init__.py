"""Verifiers, which judge whether a plan satisfies a task. Their interpreter defines what a task means."""
