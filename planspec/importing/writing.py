"""Parts of documents as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def mapping(key: str, values: Mapping[str, str], indent: str = "") -> list[str]:
    """A section of `name: value`; nothing without values."""
    return (
        [f"{indent}{key}:", *(f"{indent}  {name}: {value}" for name, value in values.items())]
        if values
        else []
    )


def sql(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(text: str) -> str:
    """A text as YAML: JSON's texts are texts of YAML, too, but for what YAML wants escaped."""
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
