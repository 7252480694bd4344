"""The formatter: prints expressions in canonical form, and keeps the author's order and data.

The formatter traverses the YAML nodes and the comments between them, and rewrites every line. It never changes the
content of data: a message, a row, a CSV block, a query. A slice is a text in the document that the grammar parses, such
as an expression, a type or a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field

from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.editing.node_kinds import Role, roles
from planspec.dsl.editing.pretty import Align, Doc, concat, fill, render
from planspec.dsl.editing.printer import print_tree
from planspec.dsl.resources.limits import EXPRESSION_CHARACTERS
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.syntax.parser_table import StartSymbol
from planspec.dsl.yaml.comments import Comment, comments
from planspec.dsl.yaml.raw_scalars import block_lines, flow_lines, reindented_lines
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, compose, expression_span
from planspec.dsl.yaml.source_files import source_from_text

WIDTH = 110
"""The maximum number of columns of a line."""
STEP = 2
"""The number of spaces of one level of indentation."""
COLON = re.compile(r"\s*:")


def format_text(
    text: str,
    name: str = "document.yaml",
    *,
    first_line: int = 1,
    check: Callable[[Node, Report], object] | None = None,
) -> str:
    """Return the canonical text of a document.

    Formatting is idempotent. A slice that does not parse is left unchanged, so that `check` reports the
    same for the result as for the text.

    Args:
        text: the document.
        name: name of the document in diagnostics.
        first_line: number of its first line in a file with several documents.
        check: called first with the composed document; it may report that the document cannot be formatted.

    Returns:
        The text with its comments, order of keys, single blank lines and styles of collections;
        expressions, types, columns, signatures, binders and domains are in canonical form.

    Raises:
        DiagnosticError: YAML cannot parse the text, it contains something that is not allowed in a
            document (a tag, a repeated key), or `check` reported an error.
    """
    source = source_from_text(text, name, first_line=first_line)
    if not source.text.endswith("\n"):
        source = Source(name, source.text + "\n", first_line=first_line)
    root = _compose(source, check)
    result = _Writer(source, root).document()
    after = _compose(Source(name, result))
    if list(_content(root)) != list(_content(after)):
        raise AssertionError(f"formatting {name} would change what it says")
    return result


def _compose(source: Source, check: Callable[[Node, Report], object] | None = None) -> Node:
    report = Report()
    root = compose(source, report)
    if root is not None and check is not None:
        check(root, report)
    if root is None or report.failed:
        raise DiagnosticError(report.ordered())
    return root


def _content(root: Node) -> Iterator[str]:
    """Yield the content that formatting must preserve: structure, data, and slices in canonical form."""
    node_roles = roles(root)

    def visit(node: Node) -> Iterator[str]:
        role = node_roles.get(id(node))
        if role is not None and (flat := canonical_slice(node, role)) is not None:
            yield f"{role} {flat}"
            return
        match node:
            case Scalar(text=text, style=style):
                yield f"{style if role is None else role} {text}"
            case Mapping(entries=entries):
                yield f"mapping of {len(entries)}"
                for key, value in entries:
                    yield from visit(key)
                    yield from visit(value)
            case Sequence(items=items):
                yield f"sequence of {len(items)}"
                for item in items:
                    yield from visit(item)

    return visit(root)


def parsed_slice(node: Node, kind: StartSymbol) -> s.Node | None:
    """Return the syntax tree of a node's slice; None if it cannot be parsed."""
    return parse(kind, expression_span(node), Report())


def canonical_slice(node: Node, role: Role) -> str | None:
    """Return the canonical text of a slice on one line; None if it cannot be parsed."""
    if role == "enum":
        members = [part.strip() for part in expression_span(node).text.split("|")]
        return " | ".join(members) if all(member.isidentifier() for member in members) else None
    tree = parsed_slice(node, role)
    flat = None if tree is None else print_tree(tree)
    return flat if flat is not None and len(flat) <= EXPRESSION_CHARACTERS else None


def is_read_unchanged(text: str, *, flow: bool = False, key: bool = False) -> bool:
    """Return whether YAML reads the text unchanged as a plain value or key."""
    value = f"{{k: {text}}}\n" if flow else f"k: {text}\n"
    line = f"{text}: 1\n" if key else value
    report = Report()
    root = compose(Source("", line), report)
    if report.failed or not isinstance(root, Mapping) or len(root.entries) != 1:
        return False
    return expression_span(root.entries[0][0 if key else 1]).text == text


@dataclass(slots=True)
class _Writer:
    source: Source
    root: Node
    text: str = field(init=False)
    node_roles: dict[int, Role] = field(init=False)
    comments: list[Comment] = field(init=False)
    next: int = 0  # the index of the first comment not yet written
    cursor: int = 0  # the offset up to which everything has been written
    levels: list[tuple[int, int]] = field(default_factory=list)  # open blocks: original column, new indentation
    out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = self.source.text
        self.node_roles = roles(self.root)
        self.comments = comments(self.text, self.root)

    def document(self) -> str:
        if self._is_block(self.root):
            self._write_block(self.root, 0, None, 0)
        else:
            self.levels = [(0, 0)]
            self._write_comments(self.root.span.start, 0, 0)
            self._write_value(self.root, "", -STEP)
        self._write_comments(len(self.text.rstrip()), 0, 0)
        return "\n".join(self.out) + "\n"

    # -- blocks -----------------------------------------------------------------------------------

    @staticmethod
    def _is_block(node: Node) -> bool:
        return not isinstance(node, Scalar) and not node.flow

    def _write_block(self, node: Node, indent: int, lead: str | None, depth: int) -> None:
        """Write a block collection.

        Args:
            node: the collection.
            indent: indentation of its lines.
            lead: dashes before its first entry on the same line; None if it begins a line.
            depth: number of enclosing blocks.
        """
        for number, (key, value) in enumerate(_parts(node)):
            start = self._dash_offset() if key is None else key.span.start
            column = start - self.text.rfind("\n", 0, start) - 1
            if number == 0:
                self.levels[depth:] = [(column, indent)]
            if number == 0 and lead is not None:
                prefix = lead
                self._write_comments_above(start, prefix)
            else:
                prefix = " " * indent
                self._write_comments(start, column, depth)
            if key is None:
                self.cursor = start + 1
                prefix += "- "
            else:
                self.cursor = key.span.end
                prefix += self._key_text(key) + ":"
            if not self._is_block(value):
                self._write_value(value, prefix, indent)
            elif key is None:
                self._write_block(value, indent + STEP, prefix, depth + 1)
            else:
                self.out.append(prefix)
                self._write_block(value, indent + STEP, None, depth + 1)

    def _dash_offset(self) -> int:
        """Return the offset of the next item's dash, ignoring dashes in comments."""
        at, number = self.cursor, self.next
        while number < len(self.comments):
            offset = self.text.find("-", at, self.comments[number].start)
            if offset != -1:
                return offset
            at = self.comments[number].end
            number += 1
        return self.text.index("-", at)

    def _key_text(self, key: Scalar) -> str:
        role = self.node_roles.get(id(key))
        flat = canonical_slice(key, role) if role else None
        written = key.span.text
        return flat if flat is not None and (flat == written or is_read_unchanged(flat, key=True)) else written

    # -- comments and blank lines -----------------------------------------------------------------

    def _write_comments(self, end: int, column: int, depth: int) -> None:
        """Write the comments before an entry.

        Args:
            end: offset of the entry.
            column: column in which the entry begins.
            depth: depth of the entry's block.
        """
        while self.next < len(self.comments) and self.comments[self.next].start < end:
            comment = self.comments[self.next]
            if comment.follows_text and self.out:
                self.out[-1] += "  " + comment.text
            else:
                self._write_blank_line(comment.start)
                self.out.append(" " * self._indentation(comment, column, depth) + comment.text)
            self.cursor = comment.end
            self.next += 1
        self._write_blank_line(end)
        del self.levels[depth + 1 :]

    def _indentation(self, comment: Comment, column: int, depth: int) -> int:
        """Return the indentation for a comment: the indentation of the entry below it or of the block above it."""
        if comment.column <= column:
            return self.levels[depth][1] if comment.text.startswith("#") else 0
        return max((level for level in self.levels[depth:] if level[0] <= comment.column), default=self.levels[depth])[
            1
        ]

    def _write_blank_line(self, end: int) -> None:
        if self.out and self.text.count("\n", self.cursor, end) > 1:
            self.out.append("")

    def _write_comments_above(self, end: int, prefix: str) -> None:
        """Write the comments between a key (or dash) and its value above the entry."""
        indent = len(prefix) - len(prefix.lstrip())
        while self.next < len(self.comments) and self.comments[self.next].start < end:
            self.out.append(" " * indent + self.comments[self.next].text)
            self.next += 1

    def _line_end_comment(self, end: int) -> str:
        """Consume the comment at the end of a line. Return it after two spaces, or an empty string if there is none."""
        if self.next < len(self.comments):
            comment = self.comments[self.next]
            if comment.follows_text and not self.text[end : comment.start].strip():
                self.next += 1
                self.cursor = comment.end
                return "  " + comment.text
        return ""

    # -- values -----------------------------------------------------------------------------------

    def _write_value(self, node: Node, prefix: str, indent: int) -> None:
        """Write a scalar or a flow collection after a key or dash. `indent` is the key's indentation."""
        raw = node.span.text
        if not raw:
            self.out.append(prefix.rstrip())
            return
        self._write_comments_above(node.span.start, prefix)
        self.cursor = node.span.end
        prefix = prefix if not prefix or prefix.endswith(" ") else prefix + " "
        role = self.node_roles.get(id(node))
        flat = canonical_slice(node, role) if role else None
        block = isinstance(node, Scalar) and node.style in {"literal", "folded"}
        if flat is not None and role == "enum" and "\n" not in raw:
            self.out.append(prefix + flat)
        elif flat is not None and role is not None and role != "enum":
            self._write_slice(node, role, flat, prefix, indent, header=block)
        elif isinstance(node, Scalar) and block:
            head, lines, self.cursor = block_lines(node, self.text)
            self.out.append(prefix + head)
            self.out.extend(" " * (indent + STEP) + line if line else "" for line in lines)
        elif isinstance(node, Scalar):
            first, *rest = flow_lines(node)
            self.out.append(prefix + first)
            self.out.extend(" " * (indent + STEP) + line if line else "" for line in rest)
        else:
            self._write_flow(node, role, prefix, indent)

    def _write_slice(self, node: Node, kind: StartSymbol, flat: str, prefix: str, indent: int, *, header: bool) -> None:
        """Write a slice after its key if it fits on that line, and otherwise as a folded block."""
        trailing_comment = self._header_comment(node) if header else ""
        inline = len(prefix) + len(flat) <= WIDTH
        if inline and (flat == node.span.text or is_read_unchanged(flat)):
            self.out.append(prefix + flat + trailing_comment)
            return
        trailing_comment = trailing_comment or self._line_end_comment(node.span.end)
        tree = parsed_slice(node, kind)
        assert tree is not None, "the slice has been printed on one line"
        wrapped = print_tree(tree, width=WIDTH - indent - STEP)
        lines = [" " * (indent + STEP) + line for line in wrapped.split("\n")]
        if sum(map(len, lines)) + len(lines) > EXPRESSION_CHARACTERS:
            lines = [" " * (indent + STEP) + flat]
        self.out.extend((f"{prefix}>-{trailing_comment}", *lines))

    @staticmethod
    def _header_comment(node: Node) -> str:
        head, _, _ = node.span.text.partition("\n")
        _, mark, comment = head.partition("#")
        return "  " + (mark + comment).rstrip() if mark else ""

    # -- flow collections -------------------------------------------------------------------------

    def _write_flow(self, node: Node, role: Role | None, prefix: str, indent: int) -> None:
        commented = False
        while self.next < len(self.comments) and self.comments[self.next].start < node.span.end:
            self.next += 1
            commented = True
        raw = node.span.text
        if role is not None or commented or any("\n" in scalar.span.text for scalar in _leaves(node)):
            self.out.extend(reindented_lines(node.span, prefix, indent + STEP))
        else:
            width = WIDTH if "\n" in raw else None
            self.out.extend((prefix + render(self._flow_layout(node), width, len(prefix))).split("\n"))

    def _flow_layout(self, node: Node) -> Doc:
        role = self.node_roles.get(id(node))
        if isinstance(node, Scalar) or role is not None:
            written = node.span.text
            flat = canonical_slice(node, role) if role else None
            return flat if flat is not None and (flat == written or is_read_unchanged(flat, flow=True)) else written
        if isinstance(node, Sequence):
            return concat("[", Align(fill(",", [self._flow_layout(item) for item in node.items])), "]")
        pairs = [self._pair_layout(key, value) for key, value in node.entries]
        if not node.span.text.startswith("{"):  # a pair without braces, as in `[a: 1]`
            return concat(*pairs)
        return concat("{", Align(fill(",", pairs)), "}")

    def _pair_layout(self, key: Scalar, value: Node) -> Doc:
        name = self._key_text(key)
        in_a_set = not value.span.text and COLON.match(self.text, key.span.end) is None
        return name if in_a_set else concat(name, ": ", self._flow_layout(value))


def _parts(node: Node) -> SequenceOf[tuple[Scalar | None, Node]]:
    """Return the entries of a collection. The key of a sequence's item is None."""
    match node:
        case Mapping(entries=entries):
            return entries
        case Sequence(items=items):
            return [(None, item) for item in items]
        case Scalar():
            return ()


def _leaves(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    for key, value in _parts(node):
        if key is not None:
            yield key
        yield from _leaves(value)
