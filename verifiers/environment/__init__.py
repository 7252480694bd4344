"""The agents' view of a task: texts of its shows and results of its tools, computed from static tables."""
