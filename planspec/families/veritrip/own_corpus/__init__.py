"""A corpus of one's own documents and pictures, for a fact base that was imported."""
