"""The agents' view of a task: its shows (texts) and the results of its tools, computed from static tables."""
