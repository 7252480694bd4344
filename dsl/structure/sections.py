"""Functions that read the content of a key: a mapping with known keys, a word, a flag, or a list of words."""

from __future__ import annotations

from collections.abc import Collection

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence


def known_keys(node: Mapping, keys: Collection[str], what: str, report: Report) -> dict[str, Node]:
    """Return the values of a mapping keyed by name; report keys that are not allowed."""
    return {name: value for name, (_, value) in known_entries(node, keys, what, report).items()}


def known_entries(node: Mapping, keys: Collection[str], what: str, report: Report) -> dict[str, tuple[Scalar, Node]]:
    """Return the entries of a mapping keyed by name; report keys that are not allowed.

    An obviously misspelt key counts as the intended one, so that its content is not reported as missing.
    """
    entries = {key.text: (key, value) for key, value in node.entries}
    for key, value in node.entries:
        if key.text not in keys:
            near = most_similar(key.text, keys)
            help_text = f"did you mean `{near}`?" if near else f"it may have {', '.join(keys)}"
            if near is None and node.flow and key is not node.entries[0][0] and value.span.start == value.span.end:
                help_text = "inside `{...}` a comma ends a value: put the text before it in quotes, or write the mapping over several lines"
            report.error("PS009", f"{what} has no key `{key.text}`", key.span, "unknown key", help=help_text)
            if near is not None:
                entries.setdefault(near, (key, value))
    return entries


def word_of(node: Node | None, what: str, report: Report) -> str | None:
    """Return the string in a node; None without a node, or if the node is not a string."""
    if node is None:
        return None
    if not isinstance(node, Scalar):
        report.error("PS011", f"{what} must be a string", node.span, "a collection")
        return None
    return node.text


def flag_of(node: Node | None, what: str, report: Report) -> bool:
    """Return whether a node is `true`; False if there is no node."""
    text = node.text if isinstance(node, Scalar) else "" if node else "false"
    if node is not None and text not in ("true", "false"):
        intended = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(text.lower())
        report.error(
            "PS016",
            f"{what} is true or false",
            node.span,
            "neither",
            help=f"write `{intended}`" if intended else None,
        )
    return text == "true"


def texts(node: Node | None, what: str, report: Report) -> list[Scalar]:
    """Return the items of a list of words; a single word is a list of one."""
    if node is None:
        return []
    if isinstance(node, Scalar):
        return [node] if node.text else []
    if isinstance(node, Mapping) and not node.entries:
        return []
    items = node.items if isinstance(node, Sequence) else ()
    if isinstance(node, Mapping):
        report.error("PS011", f"{what} must be a list", node.span, "a mapping", help="write `[a, b]`")
    words = []
    for item in items:
        if isinstance(item, Scalar):
            words.append(item)
        else:
            report.error("PS011", f"{what} must be a list of words", item.span, "not a word")
    return words
