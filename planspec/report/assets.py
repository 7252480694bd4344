"""Style sheets and scripts of pages, and a content security policy (CSP) that allows nothing else."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64encode
from collections.abc import Iterable
from importlib.resources import files

NOBODY = "'none'"


def join_files(names: Iterable[str], package: str = "planspec.report") -> str:
    """Return the concatenated text of files in the folder `template` of a package."""
    folder = files(package) / "template"
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def policy(style: str, program: str, own: str | None = None) -> str:
    """Return the content security policy of a page: only its own style sheet and script are allowed.

    Args:
        style: text of the style sheet.
        program: text of the script.
        own: source, such as `'self'`, from which the script may fetch data and pictures; None to forbid fetching.
    """
    hashes = (b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, program))
    styles, scripts = (f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; style-src {styles}; script-src {scripts}; img-src data:{f' {own}' if own else ''}; "
        f"connect-src {own or NOBODY}; base-uri 'none'; form-action 'none'"
    )


def pack_text(text: str) -> str:
    """Compress a string (zlib, RFC 1950) and return it as base64. The page's script unpacks it on demand."""
    return b64encode(zlib.compress(text.encode("utf-8", "replace"), 6)).decode("ascii")
