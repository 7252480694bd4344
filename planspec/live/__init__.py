"""Live views for authors: the panel of a task in a browser, a notebook, or an editor."""
