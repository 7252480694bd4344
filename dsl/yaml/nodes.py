"""Nodes of YAML text: scalars that remain text, mappings and sequences, each with its span."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span

Style = Literal["plain", "single", "double", "literal", "folded"]


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A scalar, whose value remains text.

    A missing value (`key:`) is plain and empty, and has an empty span after the colon.

    Attributes:
        span: span of the node with its quotes or block header.
        text: decoded value.
        style: style of the text.
        content: span of an expression in the scalar: the whole node, or a block scalar without its header.
    """

    span: Span
    text: str
    style: Style
    content: Span


@dataclass(frozen=True, slots=True, eq=False)
class TypedScalar(Scalar):
    """A number, a Boolean or a date that is not stored as a string in its source."""


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Keys and values in order. Keys are unique, except for keys without a value (`{a, b}`), which may repeat.

    `flow` is true if the mapping is written in braces.
    """

    span: Span
    entries: tuple[tuple[Scalar, Node], ...]
    flow: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Items in order. `flow` is true if they are written in brackets."""

    span: Span
    items: tuple[Node, ...]
    flow: bool


Node: TypeAlias = Scalar | Mapping | Sequence
