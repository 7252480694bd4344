"""Verifiers, which judge a plan against a task and so define what the task means."""
