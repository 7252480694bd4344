"""Answers to an editor's requests about open documents, as defined by the Language Server Protocol.

The functions use neither a protocol library nor threads or processes. The language server and the playground
share them.
"""
