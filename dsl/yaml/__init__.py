"""YAML as text with positions."""
