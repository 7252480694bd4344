"""Evaluation of tasks on plans: the reference interpreter, grounding, verdicts and their explanations."""
