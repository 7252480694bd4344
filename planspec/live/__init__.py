"""Interactive views of tasks and runs in a browser, a notebook, or an editor."""
