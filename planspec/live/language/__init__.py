"""What editors ask about open documents, answered in the shapes of the Language Server Protocol.

Pure functions: no protocol library, no thread, no process. The language server and the playground call the same ones.
"""
