"""Conversion of nodes to YAML text, such as the text of a task that was made from a record."""

from __future__ import annotations

import json
import re

from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

SAFE = re.compile(r"\w[\w.-]*")
"""Pattern of keys that need no quotes."""
PLAIN = re.compile(r"""[^\s,\[\]{}#:&*!|>'"%@`?-](?:[^,\[\]{}#:\s]|[ ](?=\S)|:(?=\S))*|-[\w.]+""")
"""Pattern of strings that YAML reads unchanged without quotes, even in flow collections."""


def yaml_text(node: Mapping) -> str:
    """Return a document of these nodes, in block style, with flow collections where the source has them."""
    return "".join(_entry_lines(key, value, "") for key, value in node.entries)


def _entry_lines(key: Scalar, value: Node, indent: str) -> str:
    name = key.text if SAFE.fullmatch(key.text) else _quoted(key.text)
    return f"{indent}{name}:{_value_lines(value, indent)}"


def _value_lines(value: Node, indent: str) -> str:
    """Return the text that follows `key:` (a blank and the value, or an indented block), with its line end."""
    inner = indent + "  "
    if isinstance(value, Scalar):
        text = _block_scalar(value, inner)
        return f" {text}\n" if text else "\n"
    if isinstance(value, Mapping):
        if value.flow or not value.entries:
            return f" {_flow(value)}\n"
        return "\n" + "".join(_entry_lines(key, item, inner) for key, item in value.entries)
    if not value.items or (value.flow and not any(isinstance(item, Mapping) for item in value.items)):
        return f" {_flow(value)}\n"
    return "\n" + "".join(_item_lines(item, inner) for item in value.items)


def _item_lines(item: Node, indent: str) -> str:
    if isinstance(item, Mapping) and item.entries and not item.flow:
        lines = "".join(_entry_lines(key, value, indent + "  ") for key, value in item.entries)
        return f"{indent}- {lines[len(indent) + 2 :]}"
    return f"{indent}-{_value_lines(item, indent)}"


def _block_scalar(node: Scalar, indent: str) -> str:
    """Return a scalar of a block collection as YAML text: plain if possible, otherwise as a `|` block or in quotes."""
    if node.style == "plain" and "\n" not in node.text and (PLAIN.fullmatch(node.text) or node.span.text == node.text):
        return node.text
    if node.style in ("plain", "literal", "folded") and node.text.strip() and not node.text[0].isspace():
        body = node.text.rstrip("\n")
        lines = "\n".join(f"{indent}{line}" if line else "" for line in body.split("\n"))
        if node.text in (body, f"{body}\n"):
            return f"|{'-' if node.text == body else ''}\n{lines}"
    return "" if node.style == "plain" and not node.text else _quoted(node.text)


def _flow(node: Node) -> str:
    if isinstance(node, Mapping):
        return "{" + ", ".join(_flow_entry(key, value) for key, value in node.entries) + "}"
    if isinstance(node, Sequence):
        return "[" + ", ".join(map(_flow, node.items)) + "]"
    if node.style == "plain" and (not node.text or PLAIN.fullmatch(node.text)):
        return node.text or "null"
    return _quoted(node.text)


def _flow_entry(key: Scalar, value: Node) -> str:
    name = key.text if SAFE.fullmatch(key.text) else _quoted(key.text)
    if isinstance(value, Scalar) and value.style == "plain" and not value.text:
        return name
    return f"{name}: {_flow(value)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
