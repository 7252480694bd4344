"""The back end over CaDiCaL: nodes become clauses over bits; its proofs can be checked without a solver."""
