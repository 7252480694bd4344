"""Import and export of MobilityBench's public table, and the files of the public toolkit."""
