"""Answers to an editor's requests about open documents, as defined by the Language Server Protocol.

The functions need no protocol library, threads or processes. The language server and the playground share them.
"""
