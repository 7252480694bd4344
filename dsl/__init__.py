"""The language: parsing and checking of documents, from text to a checked task."""
