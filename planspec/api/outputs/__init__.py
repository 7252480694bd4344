"""JSON documents of the command line."""
