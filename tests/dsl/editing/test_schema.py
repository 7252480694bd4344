"""The schemas for editors agree with `check`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.editing.schema import document_schema
from planspec.dsl.structure.document_keys import CONSTRAINT, DEFINITION, DOCUMENT, KINDS, TABLE, TURN
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, compose
from planspec.dsl.yaml.source_files import source_from_text
from tests.dsl.small_talk import TALK
from tests.paths import ROOT

EXAMPLES = [
    *sorted((ROOT / "planspec/tasks/examples").glob("*.task.yaml")),
    *sorted((ROOT / "planspec/tasks/libraries").glob("*.yaml")),
]

# -- a reader of YAML like an editor's, and a validator for the used part of JSON Schema --------------


def yaml_value(node: Node) -> Any:
    """Convert a node to the value that YAML 1.2's core schema gives it."""
    if isinstance(node, Mapping):
        return {key.text: yaml_value(value) for key, value in node.entries}
    if not isinstance(node, Scalar):
        return [yaml_value(item) for item in node.items]
    text = node.text
    if node.style != "plain":
        return text
    if text in {"", "~", "null"}:
        return None
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[-+]?\d+\.\d+", text) else text


TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
    "integer": int,
}
KNOWN = {
    "$schema",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "const",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "maxProperties",
}


def has_type(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def objections(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "") -> list[str]:  # noqa: C901 one case for each word of JSON Schema
    """Return a message for each place where a value does not match a JSON schema."""
    assert schema.keys() <= KNOWN, schema.keys() - KNOWN
    places: list[str] = []
    if "$ref" in schema:
        places += objections(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(has_type(value, name) for name in types):
        return [*places, f"{at}: no {' or '.join(types)}"]
    if "const" in schema and value != schema["const"]:
        places.append(f"{at}: not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        places.append(f"{at}: none of {schema['enum']}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        places.append(f"{at}: not {schema['pattern']}")
    if has_type(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        places.append(f"{at}: out of bounds")
    for word, least in (("anyOf", 1), ("oneOf", 1)):
        if word in schema:
            fitting = sum(not objections(value, choice, root, at) for choice in schema[word])
            if fitting < least or (word == "oneOf" and fitting > 1):
                places.append(f"{at}: {word}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            places += objections(item, schema["items"], root, f"{at}/{number}")
    if isinstance(value, dict):
        places += [f"{at}: without {key}" for key in schema.get("required", []) if key not in value]
        if len(value) > schema.get("maxProperties", len(value)):
            places.append(f"{at}: not empty")
        for key, inner in value.items():
            other = schema.get("additionalProperties", True)
            part = schema.get("properties", {}).get(key, other)
            if part is False:
                places.append(f"{at}: {key} is unknown")
            elif part is not True:
                places += objections(inner, part, root, f"{at}/{key}")
    return places


def objections_to(text: str) -> list[str]:
    """Return the places where a document does not match the schema of its kind."""
    root = compose(source_from_text(text, "x"), Report())
    assert isinstance(root, Mapping)
    schema = document_schema(str(yaml_value(root)["planspec"]).partition("/")[0])
    return objections(yaml_value(root), schema, schema)


# -- the schemas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_files_are_the_schemas_of_the_code(kind: str) -> None:
    path = ROOT / "planspec/dsl" / "editing" / "schemas" / f"{kind}.schema.json"
    text = json.dumps(document_schema(kind), indent=2, ensure_ascii=False) + "\n"
    assert path.read_text("utf-8") == text, f"run `planspec schema {kind} > {path}`"


def test_no_other_schemas_are_shipped() -> None:
    names = {path.name for path in (ROOT / "planspec/dsl" / "editing" / "schemas").iterdir()}
    assert names == {f"{kind}.schema.json" for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_has_exactly_the_keys_that_check_accepts(kind: str) -> None:
    assert tuple(document_schema(kind)["properties"]) == tuple(DOCUMENT[kind])


def test_the_entries_have_exactly_the_keys_that_check_accepts() -> None:
    defs = document_schema("task")["$defs"]
    assert set(defs["constraint"]["properties"]) == set(CONSTRAINT)
    assert set(defs["source"]["properties"]) == set(TABLE)
    assert set(defs["definition"]["anyOf"][0]["properties"]) == set(DEFINITION)
    assert set(defs["turn"]["properties"]) == set(TURN)


def test_a_task_has_a_query_itself_or_in_its_turns() -> None:
    assert objections_to(TALK) == []
    assert objections_to(TALK.partition("turns:")[0]) == [": anyOf"]


def undescribed_properties(schema: Any, at: str) -> list[str]:
    """Return the properties of a schema that lack a description of one sentence."""
    if isinstance(schema, list):
        return [name for item in schema for name in undescribed_properties(item, at)]
    if not isinstance(schema, dict):
        return []
    undescribed = []
    for name, part in schema.get("properties", {}).items():
        text = part.get("description", "")
        if not re.fullmatch(r"[A-Z`][^\n]*[^.]\.", text):
            undescribed.append(f"{at}/{name}")
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inner += [schema[key] for key in ("items", "additionalProperties", "anyOf", "oneOf") if key in schema]
    return undescribed + undescribed_properties(inner, at)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_description_of_one_sentence(kind: str) -> None:
    schema = document_schema(kind)
    assert undescribed_properties(schema, kind) == []
    assert schema["description"].endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_every_reference_is_defined_and_every_definition_used(kind: str) -> None:
    schema = document_schema(kind)
    assert set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(schema))) == set(schema["$defs"])


TASK = """
planspec: task/1
id: small
query: Where to?
currency: EUR
types: {Mode: foot | bus}
tables:
  Place: {columns: {id: key text, open: time?}, rows: [{id: a, open: 09:00}, {id: 12, open: }]}
  Leg: {csv: legs.csv, map: {time: Minutes, modes: {from: Modes, split: ", "}}}
  Wish: [{place: a}]
  Note: {text: text}
given: {trip: [2026-07-01], adults: 2, share: 0.35, tastes: {}, back: none, start: 12:30}
plan:
  visits: {place: key Place, start: time}
  lodging: {one: true, cost: money}
define:
  party: adults
  one: 1
  always: true
  some: {a, b}
  dwell(v visits): v.end - v.start
  open(v visits):
    is: v.start >= 09:00
    kind: window
    message: "{v.place} is closed"
constraints:
  few: {for: p in Place, when: true, hard: count(v for v in visits if v.place == p) <= 1}
  cheap: {soft: lodging.cost == 0, weight: 3, kind: cost, margin: 5}
without: few
unique: [visits.start]
scope:
  visits: [{for: p in Place, place: p, start: 08:00..9:00, optional: true}, {place: {a, b}, start: 600}]
  lodging: {cost: 0}
minimize: lodging.cost
reference: {visits: []}
closed: false
meta: {anything: [at, all]}
"""


def test_a_schema_accepts_valid_documents() -> None:
    assert objections_to(TASK) == []
    assert objections_to("planspec: suite/1\nid: s\ntasks: ['*.yaml']\nprotocol: berlin\n") == []
    assert objections_to("planspec: world/1\nid: w\nuses: l\ncurrency: USD\ntables:\n  P:\n    rows: []\n  Q:\n") == []
    assert objections_to("planspec: library/1\nid: l\ngiven:\n  a: set of A = {}\ntables:\n  P: {}\ndefine:\n") == []


@pytest.mark.parametrize(
    ("old", "new", "objection"),
    [
        ("task/1", "task/2", "/planspec: not task/1"),
        ("id: small", "id: 7", "/id: no string"),
        ("query: Where to?", "title: x", ": without query"),
        ("currency: EUR", "currency: eur", "/currency: not ^[^\\sa-z]{3}$"),
        ("without: few", "without: {a: b}", "/without: not empty"),
        ("closed: false", "closed: no", "/closed: none of [True, False, 'true', 'false']"),
        ("closed: false", "colsed: false", ": colsed is unknown"),
        ("weight: 3", "weight: -1", "/constraints/cheap: out of bounds"),
        ("weight: 3", "wieght: 3", "/constraints/cheap: wieght is unknown"),
        ("soft: lodging.cost == 0", "kind: x", "/constraints/cheap: oneOf"),
        ("soft: lodging", "hard: x, soft: lodging", "/constraints/cheap: oneOf"),
        (
            "hard: count(v for v in visits if v.place == p) <= 1",
            "hard: [a]",
            "/constraints/few/hard: no string",
        ),
        ("some: {a, b}", "some: {a: b}", "/define/some: anyOf"),
        ("place: {a, b}", "place: {a: b}", "/scope/visits: anyOf"),
        ("given: {trip", "given: {x: {a: b}, trip", "/given/x/a: no null"),
        ("minimize: lodging.cost", "minimize:", "/minimize: anyOf"),
    ],
)
def test_a_schema_rejects_what_check_refuses(old: str, new: str, objection: str) -> None:
    assert old in TASK
    objections_ = objections_to(TASK.replace(old, new))
    assert objections_
    assert any(text.startswith(objection.rpartition(": ")[0]) for text in objections_), objections_


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_schema_accepts_the_examples(path: Path) -> None:
    text = path.read_text("utf-8")
    turns = re.search(r"^turns:", text, re.MULTILINE)
    assert objections_to(text) == (
        [": without query", ": turns is unknown"] if turns and "turns" not in DOCUMENT["task"] else []
    )
