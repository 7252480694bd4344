"""What agents see of a task: the values of its shows, and its tools, worked out from static tables."""
