"""What agents see of a task: texts in the prompt (shows) and results of tools, computed from static tables."""
