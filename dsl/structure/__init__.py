"""The structure of documents: their keys, sections and kinds."""
