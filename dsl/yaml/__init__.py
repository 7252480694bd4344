"""YAML as nodes with positions, in which scalars remain text."""
