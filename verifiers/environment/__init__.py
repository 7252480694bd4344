"""The agents' view of a task: values of its shows, and its tools, computed from static tables."""
