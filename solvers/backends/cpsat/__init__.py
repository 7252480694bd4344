"""The back end over CP-SAT."""
