"""What a task means on a plan: the interpreter, grounding, verdicts and their explanations."""
