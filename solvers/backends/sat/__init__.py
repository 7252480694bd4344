"""The back end over CaDiCaL: nodes become clauses over bits, so that what it proves can be checked without any solver."""
