"""The meaning of a task on a plan: the interpreter, grounding, verdicts and their explanations."""
