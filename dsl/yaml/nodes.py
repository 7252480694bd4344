"""The nodes of YAML text: scalars that stay text, mappings and sequences, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span

Style = Literal["plain", "single", "double", "literal", "folded"]


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A text.

    A value that is left out (`key:`) is plain, empty, and has an empty span at its place.

    Attributes:
        span: the node as it stands, with quotes or a block's header.
        text: the decoded value.
        style: how it is written.
        content: what an expression in it would be: a block without its header, anything else as it stands.
    """

    span: Span
    text: str
    style: Style
    content: Span


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Keys and values, in order. A key is there once; only keys without a value (`{a, b}`) may repeat."""

    span: Span
    entries: tuple[tuple[Scalar, Node], ...]
    flow: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Items in order."""

    span: Span
    items: tuple[Node, ...]
    flow: bool


Node: TypeAlias = Scalar | Mapping | Sequence
