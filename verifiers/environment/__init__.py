"""Views of a task that agents get: texts in the prompt (shows) and results of tools, computed from static tables."""
