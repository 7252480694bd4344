"""Public data sets -> worlds and tasks in the language."""
