"""CP-SAT as a back end."""
