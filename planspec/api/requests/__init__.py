"""Requests of tasks, written from their specification with the templates of wordings."""
