"""Views of tasks and runs while people work on them: in a browser, a notebook, or an editor."""
