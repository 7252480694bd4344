"""The back end over CaDiCaL. Nodes become clauses over bits. Its proofs can be checked without a solver."""
