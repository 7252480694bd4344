"""The back end over CaDiCaL. Nodes become clauses over bits, and its proofs can be checked without a solver."""
