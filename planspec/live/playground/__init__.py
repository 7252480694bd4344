"""Playground: planspec as static web files that run in a browser."""
