"""Results of an editor's requests about open documents, as the Language Server Protocol defines them.

The functions use no protocol library, no thread and no process. The language server and the playground
share them.
"""
