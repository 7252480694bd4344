"""What editors need: the formatter, the printer and the schemas of documents."""
