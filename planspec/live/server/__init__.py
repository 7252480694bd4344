"""Language server: the Language Server Protocol over standard input and output, based on pygls."""
