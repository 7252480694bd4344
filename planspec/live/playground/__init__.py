"""Playground: planspec as static files that run in a browser."""
