"""Back ends: CP-SAT, Z3, CaDiCaL and exhaustive search behind one protocol."""
