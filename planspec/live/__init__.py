"""What people look at while they write: the panel of a task, live in a browser, a notebook, an editor."""
