"""The descriptor of a family of tasks, its parts, and the registry of installed families."""
