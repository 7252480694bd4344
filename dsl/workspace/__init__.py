"""Workspaces: documents found by path or id, the documents that they use, and shards."""
