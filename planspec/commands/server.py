"""`planspec server`: editors ask, and it answers over standard input and output."""

from __future__ import annotations

from planspec.extras import needing


def server() -> None:
    """Serve editors over standard input and output.

    Speaks the Language Server Protocol: mistakes as one types, completion, definitions, renaming, and what solvers prove.
    """
    with needing("lsp", "the language server needs an extra"):
        from planspec.live.server.server import serve

    serve()
