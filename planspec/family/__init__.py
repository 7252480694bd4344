"""The descriptor of a family of tasks, its parts, and the table of installed families."""
