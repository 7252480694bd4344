"""Styles and programs of pages: joined from their files, and allowed only by their hashes."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64encode
from collections.abc import Iterable
from importlib.resources import files

NOBODY = "'none'"


def join_files(names: Iterable[str], package: str = "planspec.report") -> str:
    """Return the joined texts of files of a package's templates."""
    folder = files(package) / "template"
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def policy(style: str, program: str, own: str | None = None) -> str:
    """Return the content security policy: the page's styles and program are allowed, and no other source.

    Args:
        style: text of its style sheet.
        program: text of its program.
        own: server from which the program may fetch data and pictures; None for none.
    """
    hashes = (b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, program))
    styles, scripts = (f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; style-src {styles}; script-src {scripts}; img-src data:{f' {own}' if own else ''}; "
        f"connect-src {own or NOBODY}; base-uri 'none'; form-action 'none'"
    )


def pack_text(text: str) -> str:
    """Return a text as base64 of its compressed bytes (zlib, RFC 1950), for content shown on demand."""
    return b64encode(zlib.compress(text.encode("utf-8", "replace"), 6)).decode("ascii")
