"""The meaning of a task on a concrete plan."""
