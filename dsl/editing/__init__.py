"""Support for editors: the formatter, the printer and the schemas of documents."""
