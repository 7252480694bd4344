"""Editor requests about open documents, answered in the shapes of the Language Server Protocol.

The functions are pure: no protocol library, no thread, no process. The language server and the playground
share them.
"""
