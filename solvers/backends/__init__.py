"""Back ends: CP-SAT, Z3 and exhaustive search behind one protocol."""
