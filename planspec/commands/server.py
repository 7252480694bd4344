"""`planspec server`: the language server, over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from planspec.extras import needing


def server(
    stdio: Annotated[  # noqa: ARG001
        bool, typer.Option("--stdio", help="The default; some editors pass this option.")
    ] = False,
) -> None:
    """Serve editors over standard input and output.

    Speaks the Language Server Protocol: mistakes while you type, completion, definitions, renaming, and proved claims.
    """
    with needing("lsp", "the language server needs an extra"):
        from planspec.live.server.server import serve

    serve()
