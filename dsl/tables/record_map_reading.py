"""Reading of the key `map` in a suite's table of tasks. The map fills sections of tasks from fields of records."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document_keys import Key
from planspec.dsl.structure.sections import known_entries, known_keys, texts
from planspec.dsl.tables.dialects import read_dialect, report_mixed_keys
from planspec.dsl.tables.record_fields import Field, Path, position
from planspec.dsl.tables.record_maps import AnswerForm, RecordMap, Rows
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

WORDS = ("query", "title", "expects")
"""Sections that are a single string."""


def record_map(node: Node | None, whole: Node, report: Report) -> RecordMap | None:
    """Return the map of a table of tasks; None if a mistake was reported.

    Without a map, the fields `id`, `query`, `title`, `expects` and `reference` of a record fill the sections with these
    names.

    Args:
        node: the value of `map`; None if it is left out.
        whole: the value of `from`, for messages.
        report: receives the diagnostics.
    """
    if node is not None and not isinstance(node, Mapping):
        report.error("PS011", "`map` must be a mapping of sections to fields", node.span, "not a mapping")
        return None
    entries = {} if node is None else known_entries(node, document_keys.RECORD_MAP, "a map of records", report)
    place = whole.span.first_line
    identity = _field(entries["id"][1], report) if "id" in entries else Field(("id",), place)
    if identity is not None and identity.form is not None:
        report.error("PS011", "an id is the text of its field", identity.span, "it has no form")
    reference = _field_with_key(entries, "reference", report, document_keys.RECORD_REFERENCE)
    form = _answer_form(entries["reference"][1], report) if "reference" in entries else None
    words = tuple(pair for name in WORDS if (pair := _field_with_key(entries, name, report)) is not None)
    given, meta = _fields(entries.get("given"), report), _fields(entries.get("meta"), report)
    tables = _tables(entries.get("tables"), report)
    if identity is None or report.failed:
        return None
    keys = {name: key for name, (key, _) in entries.items()}
    return RecordMap(identity, words, reference, given, meta, tables, keys, form)


def _field_with_key(
    entries: dict[str, tuple[Scalar, Node]],
    name: str,
    report: Report,
    keys: MappingOf[str, Key] = document_keys.RECORD_FIELD,
) -> tuple[Scalar, Field] | None:
    if name not in entries:
        return None
    key, value = entries[name]
    found = _field(value, report, keys)
    return None if found is None else (key, found)


def _answer_form(node: Node, report: Report) -> AnswerForm | None:
    """Return the value of `as:` under `reference:`; None if it is left out or a mistake was reported."""
    parts = node.entries if isinstance(node, Mapping) else ()
    word = next((value for key, value in parts if key.text == "as"), None)
    match word.text if isinstance(word, Scalar) else "":
        case "plan":
            return "plan"
        case "answer":
            return "answer"
        case text if word is not None:
            help_text = did_you_mean(text, document_keys.ANSWER_FORMS)
            label = "`plan` or `answer`"
            report.error("PS011", "a reference is read as a plan or as an answer", word.span, label, help=help_text)
    return None


def _fields(entry: tuple[Scalar, Node] | None, report: Report) -> tuple[tuple[Scalar, Field], ...]:
    """Return the fields in a mapping of names to fields. A list of names stands for fields with these names."""
    if entry is None:
        return ()
    key, node = entry
    if isinstance(node, Mapping):
        pairs = ((name, _field(value, report)) for name, value in node.entries)
        return tuple((name, each) for name, each in pairs if each is not None)
    if isinstance(node, Sequence):
        return tuple((word, Field((word.text,), word.span)) for word in texts(node, f"`{key.text}`", report))
    report.error("PS011", f"`{key.text}` must be a mapping of names to fields", node.span, "not a mapping")
    return ()


def _field(node: Node, report: Report, keys: MappingOf[str, Key] = document_keys.RECORD_FIELD) -> Field | None:
    """Read a field of a record: a name, a path (a list of names and positions), or a mapping with `from`."""
    if not isinstance(node, Mapping):
        path = field_path(node, report)
        return None if path is None else Field(path, node.span)
    parts = known_keys(node, keys, "a field", report)
    if "from" not in parts:
        report.error("PS010", "the field has no `from`", node.span.first_line, "the name of a field belongs here")
        return None
    path = field_path(parts["from"], report)
    if path is None or report_mixed_keys(parts, report):
        return None
    one_of = parts.get("one_of")
    words = None
    if isinstance(one_of, Mapping):
        words = {key.text: value for key, value in one_of.entries if isinstance(value, Scalar)}
    if one_of is not None and (words is None or len(words) < len(getattr(one_of, "entries", ()))):
        report.error("PS011", "`one_of` must be a mapping of values to words", one_of.span, "not such a mapping")
        return None
    return Field(
        path,
        node.span,
        words,
        _text(parts, "split", report),
        _text(parts, "unit", report),
        _empty(parts.get("empty"), report),
        read_dialect(parts, report).field_form(),
    )


def _text(parts: dict[str, Node], name: str, report: Report) -> str | None:
    node = parts.get(name)
    if node is None or (isinstance(node, Scalar) and node.text):
        return None if node is None else node.text
    report.error("PS011", f"`{name}` must be a non-empty string", node.span, "a collection, or nothing")
    return None


def _empty(node: Node | None, report: Report) -> frozenset[str]:
    if isinstance(node, Scalar) and node.style != "plain":
        return frozenset((node.text,))  # also for the empty string
    return frozenset(word.text for word in texts(node, "`empty`", report))


def field_path(node: Node, report: Report) -> Path | None:
    """Return the path to a field: its name, or a list of names and positions; None if a mistake was reported."""
    if isinstance(node, Scalar) and node.text:
        return (node.text,)
    if isinstance(node, Sequence) and all(isinstance(item, Scalar) and item.text for item in node.items):
        return tuple(item.text for item in node.items if isinstance(item, Scalar))
    report.error("PS011", "a field is a name, or a list of names and positions", node.span.first_line, "neither")
    return None


def _tables(entry: tuple[Scalar, Node] | None, report: Report) -> tuple[Rows, ...]:
    if entry is None:
        return ()
    _, node = entry
    if not isinstance(node, Mapping):
        report.error("PS011", "`tables` must be a mapping of tables to fields", node.span, "not a mapping")
        return ()
    rows = (_rows(name, value, report) for name, value in node.entries)
    return tuple(each for each in rows if each is not None)


def _rows(name: Scalar, node: Node, report: Report) -> Rows | None:
    """Return the rule for a table's rows; None if a mistake was reported.

    Args:
        name: name of the table.
        node: a field with a list, or a mapping with `each` or `zip`.
        report: receives errors.
    """
    if not isinstance(node, Mapping):
        each = _field(node, report)
        return None if each is None else Rows(name, each)
    parts = known_keys(node, document_keys.RECORD_ROWS, "a table's rows", report)
    for first, second in (
        ("zip", "each"),
        ("zip", "map"),
        ("zip", "keys"),
        ("zip", "value"),
        ("zip", "skip"),
        ("map", "value"),
    ):
        if first in parts and second in parts:
            label = f"not together with `{first}`"
            report.error(
                "PS011", f"the rows of `{name.text}` are made in two ways", parts[second].span.first_line, label
            )
    zipped = parts.get("zip")
    fields = () if zipped is None else _fields((name, zipped), report)
    if fields:
        return Rows(name, None, zip={key.text: each for key, each in fields})
    if "each" not in parts:
        report.error("PS010", f"the rows of `{name.text}` have no source", node.span.first_line, "`each` or `zip`")
        return None
    each, value = _field(parts["each"], report), parts.get("value")
    keys = tuple(texts(parts.get("keys"), "`keys`", report))
    columns = parts.get("map")
    if each is None:
        return None
    return Rows(
        name,
        each,
        _skip(parts.get("skip"), report),
        None if columns is None else {key.text: each for key, each in _fields((name, columns), report)},
        keys,
        None if value is None else _field(value, report),
    )


def _skip(node: Node | None, report: Report) -> int:
    if node is None:
        return 0
    count = position(node.text) if isinstance(node, Scalar) else None
    if count is not None:
        return count
    report.error("PS011", "`skip` is the number of leading items that are no rows", node.span, "no such number")
    return 0
