"""The JSON documents of the command line."""
