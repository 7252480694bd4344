"""Files and ids: documents, what they use, and the tables that they share."""
