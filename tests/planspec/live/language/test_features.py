"""Results of editor requests about positions and whole documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.live.language.hints import MAX_VALUE_LENGTH
from planspec.live.language.renaming import RenameRefusedError
from tests.planspec.live.language.texts import LIBRARY, MARK, SAMPLE, TASK, Session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


# -- hover ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "shift", "expected"),
    [
        ("party: adults", 1, ["party: int", "static · `3`", "adults + children"]),
        ("budget\n", 1, ["budget: money", "given · static · in EUR · `150.00 EUR`"]),
        (
            "dwell(v) >=",
            1,
            ["dwell(v visits): duration", "of the plan", "counted in minutes", "v.end - v.start"],
        ),
        ("v.cost for", 2, ["visits.cost: money", "column of a plan's table", "in EUR"]),
        ("v.cost for", 0, ["v: visits", "row of the plan"]),
        ("Place.museum", 7, ["Place.museum", "the old museum", "12.00 EUR"]),
        ("Place.museum", 1, ["Place:", "label: text", "table of facts · 3 rows"]),
        ("sum(v", 1, ["sum(x for ...)", "The sum of the terms"]),
        ("taxi, cost", 1, ["Mode.taxi", "foot, bus, taxi"]),
        (">= 90min", 4, ["90min: duration", "`1h30min`"]),
        ("reference:", 2, ["The author's answer"]),
        ("hard: sum", 1, ["The condition that every plan must meet."]),
        ("unhurried", 1, ["constraint unhurried", "hard", "dwell(v) >= 90min"]),
    ],
)
def test_hover_shows_type_unit_stage_value_and_meaning(
    session: Session, words: str, shift: int, expected: list[str]
) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    text = session.request("hover", document, words, shift)["contents"]["value"]
    assert all(part in text for part in expected), text


def test_hover_explains_steps(session: Session) -> None:
    rule = "all(a.cost <= b.cost for a, b in steps(v for v in visits, by=v.cost))"
    document = session.open("walks.library.yaml", LIBRARY.replace("{hard: total <= budget}", f"\n    hard: {rule}"))
    text = session.request("hover", document, "steps(v", 1)["contents"]["value"]
    assert "for a, b in steps(x for ..., by=k, per=g)" in text and "Pairs of neighbours" in text


def test_hover_shows_comments_of_declarations_in_other_documents(session: Session) -> None:
    document = session.open_all_three()
    text = session.request("hover", document, "budget: 15", 2)["contents"]["value"]
    assert "the most that all may cost" in text and "walks.library.yaml" in text and "`15.00 EUR`" in text


def test_hover_reports_a_mistake(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE.replace("adults + children", "adults + childern"))
    assert "has a mistake" in session.request("hover", document, "party\n", 1)["contents"]["value"]


# -- completion -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "offered", "absent"),
    [
        ("sum(v.cost for", "sum(v.¦ for", ["place", "cost", "mode"], ["label", "sum"]),
        (
            "sum(v.cost for v in visits) + lodging.nights * lodging.place.price <= budget",
            "sum(v.¦",
            ["cost"],
            ["sum"],
        ),
        ("<= budget", "<= bu¦", ["budget"], ["party"]),
        ("<= budget", "<= ¦", ["budget", "party", "dwell", "sum", "visits"], ["stars"]),
        ("{Place.museum, Place.park}", "{Place.¦}", ["museum", "park", "inn"], ["budget"]),
        ("mode: (m for m in Mode)?", "mode: Mode.¦", ["foot", "bus", "taxi"], ["museum"]),
        ("dwell(v) >= 90min", "v.mode == ¦", ["taxi", "v"], ["cost"]),
        ("    hard: all(dwell", "    ha¦: all(dwell", ["hard"], ["query"]),
        ("reference:", "me¦\nreference:", ["measures", "meta"], ["hard"]),
        ("nights: 1..2", "ni¦", ["nights"], []),
        ("mode: taxi,", "mode: ¦,", ["taxi", "bus"], ["museum"]),
        ("cost: money}", "cost: ¦}", ["money", "duration", "Place", "Mode"], ["budget"]),
        ("planspec: task/1", "planspec: ¦", ["task/1", "library/1"], []),
        ("given:", "unique: [vis¦]\ngiven:", ["visits.start", "visits.cost"], []),
        ("given:", "without: [¦]\ngiven:", ["affordable", "unhurried"], []),
        ("all(dwell(v) >= 90min for v in visits)", "all(z.en¦", ["end"], ["budget"]),
        (
            "v in visits)\nreference:",
            'v in visits)\n    message: "{par¦} are"\nreference:',
            ["party"],
            ["affordable"],
        ),
        (
            "v in visits)\nreference:",
            'v in visits)\n    message: "{v.¦} is"\nreference:',
            ["place"],
            ["party"],
        ),
        ("party: adults", "party: zz¦", [], ["zzCURSORzz", "zzzzCURSORzz"]),
    ],
)
def test_completion_offers_names_that_fit_the_position(
    session: Session, old: str, new: str, offered: list[str], absent: list[str]
) -> None:
    session.open("sample.task.yaml", SAMPLE)
    completions = session.request_at_mark("completion", "sample.task.yaml", SAMPLE.replace(old, new, 1))
    labels = [item["label"] for item in completions["items"]]
    assert set(offered) <= set(labels) and not set(absent) & set(labels), labels


def test_values_of_the_expected_type_come_first(session: Session) -> None:
    text = SAMPLE.replace("dwell(v) >= 90min", f"v.mode == {MARK}")
    items = session.request_at_mark("completion", "sample.task.yaml", text)["items"]
    assert [item["label"] for item in items[:3]] == ["foot", "bus", "taxi"]


def test_completion_offers_the_first_line_of_an_empty_document(session: Session) -> None:
    items = session.request_at_mark("completion", "new.task.yaml", MARK)["items"]
    assert "planspec: task/1" in [item["label"] for item in items]


def test_tables_are_offered_at_the_start_of_a_section(session: Session) -> None:
    text = SAMPLE[: SAMPLE.index("scope:")] + f"scope:\n  {MARK}\n"
    items = session.request_at_mark("completion", "sample.task.yaml", text)["items"]
    assert {item["label"] for item in items} == {"visits", "lodging"}


def test_completion_offers_the_parts_of_a_reading(session: Session) -> None:
    suite = "planspec: suite/1\nid: days\ntasks: [sample]\nreadings:\n  some:\n    "
    for text, labels in ((MARK, {"givens", "expects"}), (f"expects: {MARK}", {"unique", "feasible", "infeasible"})):
        items = session.request_at_mark("completion", "days.suite.yaml", suite + text)["items"]
        assert {item["label"] for item in items} == labels


WORDING = """planspec: wording/1
id: walks.de
language: de
uses: [walks]
words:
  Mode: {foot: zu Fuß, bus: mit dem Bus}
given:
  budget: Höchstens {budget}.
tables:
  Place: "{row.label}"
rules:
  purse: Nicht mehr.
"""


@pytest.mark.parametrize(
    ("old", "new", "labels"),
    [
        ("language: de\n", f"language: de\n{MARK}", {"begin", "end", "unsaid"}),
        ("language: de\n", f"language: {MARK}\n", {"de", "zh", "ja"}),
        ("  budget: Höch", f"  {MARK}: Höch", {"budget"}),
        ("  Place:", f"  {MARK}:", {"Place"}),
        ("  Mode:", f"  {MARK}:", {"Mode", "Place"}),
        ("  purse:", f"  {MARK}:", {"purse"}),
        ("Höchstens {budget}", f"Höchstens {{bud{MARK}}}", {"budget"}),
        ("{row.label}", f"{{row.lab{MARK}}}", {"label"}),
        ('"{row.label}"', f"\n    {MARK}", {"each", "text", "join", "for"}),
    ],
)
def test_completion_offers_the_names_and_keys_that_fit_in_a_wording(
    session: Session, old: str, new: str, labels: set[str]
) -> None:
    session.open("walks.library.yaml", LIBRARY)
    assert old in WORDING
    completions = session.request_at_mark("completion", "walks.de.wording.yaml", WORDING.replace(old, new, 1))
    assert labels <= {item["label"] for item in completions["items"]}


def test_an_entry_of_a_wording_leads_to_the_declaration_of_its_subject(session: Session) -> None:
    session.open("walks.library.yaml", LIBRARY)
    document = session.open("walks.de.wording.yaml", WORDING)
    for words, shift, place in (
        ("budget: H", 1, "walks.library.yaml: budget"),
        ("{budget}", 2, "walks.library.yaml: budget"),
        ("Place:", 1, "walks.library.yaml: Place"),
        ("purse:", 1, "walks.library.yaml: purse"),
        ("foot:", 1, "walks.library.yaml: foot"),
    ):
        assert session.texts_at(session.request("definition", document, words, shift)) == [place]
    hover = session.request("hover", document, "{budget}", 2)["contents"]["value"]
    assert "budget: money" in hover and "the most that all may cost" in hover


def test_completion_includes_imports(session: Session) -> None:
    session.open_all_three()
    rows = session.request_at_mark("completion", "day.task.yaml", TASK.replace("visits[museum]", f"visits[{MARK}]"))
    assert {"museum", "park"} <= {item["label"] for item in rows["items"]}
    worlds = session.request_at_mark("completion", "day.task.yaml", TASK.replace("world: town", f"world: {MARK}"))
    assert "town" in {item["label"] for item in worlds["items"]}


def test_a_call_shows_its_parameters(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    signature_help = session.request("signatureHelp", document, "dwell(v) >=", 6)
    assert signature_help["signatures"][0]["label"] == "dwell(v visits) -> duration"
    text = SAMPLE.replace("dwell(v) >= 90min", f"first(w for w in visits, by={MARK}")
    signature_help = session.request_at_mark("signatureHelp", "sample.task.yaml", text)
    active = signature_help["signatures"][0]["parameters"][signature_help["activeParameter"]]
    assert active["label"].startswith("by=")


TURNS = TASK.replace("query: The museum, for 15 EUR at most.", "query: The museum.").replace(
    "constraints:",
    """turns:
  - query: And cheap.
    constraints:
      free: {hard: total == 0 EUR}
  - query: No, walk.
    drop: [free]
    given: {budget: 30 EUR}
constraints:""",
)


def test_turns_of_a_conversation_are_analysed(session: Session) -> None:
    session.open_all_three()
    document = session.open("day.task.yaml", TURNS)
    assert session.request("diagnostic", document)["items"] == []
    assert session.texts_at(session.request("definition", document, "[free]", 2)) == ["day.task.yaml: free"]
    assert session.texts_at(session.request("definition", document, "total ==", 2)) == ["walks.library.yaml: total"]
    assert "given" in session.request("hover", document, "budget: 30", 2)["contents"]["value"]
    turns = next(x for x in session.request("documentSymbol", document) if x["name"] == "turns")
    assert [x["name"] for x in turns["children"]] == ["turn 1", "turn 2"]


TOOLS = """planspec: task/1
id: office
query: Which rooms are cheap?
currency: EUR
tables:
  Room:
    columns: {floor: int, rate: money}
    rows:
      - {id: attic, floor: 4, rate: 20 EUR}
plan: {choice: {one: true, room: Room}}
scope: {choice: {room: (r for r in Room)}}
constraints:
  cheap: {hard: choice.room.rate <= 30 EUR}
environment:
  tools:
    rooms:
      doc: Rooms of a floor.
      params: {floor: int}
      returns:
        rooms:
          each: r in Room if r.floor == arg.floor
          as: {name: r, rate: r.rate}
  settings:
    open: {tools: [rooms]}
"""


def test_the_environment_of_agents_is_analysed(session: Session) -> None:
    document = session.open("office.task.yaml", TOOLS)
    assert session.request("diagnostic", document)["items"] == []
    assert session.texts_at(session.request("definition", document, "arg.floor", 5)) == ["office.task.yaml: floor"]
    assert session.texts_at(session.request("definition", document, "[rooms]", 2)) == ["office.task.yaml: rooms"]
    labels = [
        x["label"]
        for x in session.request_at_mark(
            "completion", "office.task.yaml", TOOLS.replace("== arg.floor", f"== arg.{MARK}")
        )["items"]
    ]
    assert labels == ["floor"]
    labels = [
        x["label"]
        for x in session.request_at_mark(
            "completion", "office.task.yaml", TOOLS.replace("rate: r.rate}", f"rate: r.{MARK}}}")
        )["items"]
    ]
    assert set(labels) == {"id", "floor", "rate"}
    after = session.texts_after(
        session.request("rename", session.open("office.task.yaml", TOOLS), "params: {floor", 10, newName="storey")
    )
    assert "params: {storey: int}" in after["office.task.yaml"] and "== arg.storey" in after["office.task.yaml"]


# -- declarations and references --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "shift", "declared"),
    [
        ("budget: 15", 1, "walks.library.yaml: budget"),
        ("museum] is", 1, "town.world.yaml: museum"),
        ("place: museum", 8, "town.world.yaml: museum"),
        ("v.mode ==", 3, "walks.library.yaml: mode"),
        ("v.mode ==", 0, "day.task.yaml: v"),
        ("foot for v", 1, "walks.library.yaml: foot"),
        ("[walks]", 2, "walks.library.yaml: walks"),
        ("world: town", 8, "town.world.yaml: town"),
        ("cost: p.price", 8, "town.world.yaml"),
    ],
)
def test_a_mention_leads_to_its_declaration(session: Session, words: str, shift: int, declared: str) -> None:
    document = session.open_all_three()
    if declared == "town.world.yaml":
        assert session.texts_at(session.request("definition", document, words, shift)) == ["walks.library.yaml: price"]
    else:
        assert session.texts_at(session.request("definition", document, words, shift)) == [declared]


def test_the_type_of_an_expression_leads_to_its_table(session: Session) -> None:
    document = session.open_all_three()
    assert session.texts_at(session.request("typeDefinition", document, "v.mode ==", 0)) == [
        "walks.library.yaml: visits"
    ]


def test_rows_in_files_are_found_on_their_line(session: Session) -> None:
    (session.folder / "places.csv").write_text("id,label,price\nmuseum,the museum,12 EUR\npark,the park,0 EUR\n")
    session.open("walks.library.yaml", LIBRARY)
    world = "planspec: world/1\nid: town\ncurrency: EUR\nuses: [walks]\ntables:\n  Place: {csv: places.csv}\n"
    session.open("town.world.yaml", world)
    document = session.open("day.task.yaml", TASK)
    location = session.request("definition", document, "museum] is", 1)
    assert location["uri"].endswith("places.csv") and location["range"]["start"]["line"] == 1


def test_rows_in_files_of_another_format_are_found_on_their_line(session: Session) -> None:
    text = "id;label;price\nmus\u00e9e;x;0\nmuseum;the museum;12 EUR\npark;the park;0 EUR\n"
    (session.folder / "places.csv").write_bytes(text.encode("utf-16"))
    session.open("walks.library.yaml", LIBRARY)
    entry = '{csv: places.csv, delimiter: ";", encoding: utf-16}'
    world = f"planspec: world/1\nid: town\ncurrency: EUR\nuses: [walks]\ntables:\n  Place: {entry}\n"
    session.open("town.world.yaml", world)
    document = session.open("day.task.yaml", TASK)
    location = session.request("definition", document, "museum] is", 1)
    assert location["uri"].endswith("places.csv") and location["range"]["start"]["line"] == 2


def test_references_are_found_in_all_documents_of_the_project(session: Session) -> None:
    document = session.open_all_three()
    places = session.texts_at(session.request("references", document, "budget: 15", 1))
    assert sorted(places) == [
        "day.task.yaml: budget",
        "walks.library.yaml: budget",
        "walks.library.yaml: budget",
    ]
    (session.folder / "other.task.yaml").write_text(TASK.replace("id: day", "id: other"))
    places = session.request("references", document, "budget: 15", 1)
    assert len(places) == 4
    without = session.request("references", document, "budget: 15", 1, context={"includeDeclaration": False})
    assert len(without) == 3


def test_references_exclude_documents_with_a_declaration_of_their_own(session: Session) -> None:
    document = session.open_all_three()
    (session.folder / "apart.task.yaml").write_text(SAMPLE)  # the task declares its own budget
    assert len(session.request("references", document, "budget: 15", 1)) == 3


def test_mentions_in_one_document_are_highlighted(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    places = session.request("documentHighlight", document, "party: adults", 1)
    assert [place["kind"] for place in places] == [3, 2]


# -- renaming ---------------------------------------------------------------------------------------------


def test_a_symbol_is_renamed_across_library_world_and_task(session: Session) -> None:
    document = session.open_all_three()
    after = session.texts_after(session.request("rename", document, "budget: 15", 1, newName="purse_limit"))
    assert after["day.task.yaml"] == TASK.replace("budget", "purse_limit")
    assert "purse_limit: money" in after["walks.library.yaml"] and "total <= purse_limit" in after["walks.library.yaml"]
    after = session.texts_after(session.request("rename", document, "v.mode ==", 3, newName="way"))
    assert (
        "{place: museum, way: foot, cost: 12 EUR}" in after["day.task.yaml"]
        and "v.way == foot" in after["day.task.yaml"]
    )
    assert "way: Mode?" in after["walks.library.yaml"]
    after = session.texts_after(session.request("rename", document, "museum] is", 1, newName="gallery"))
    assert "{id: gallery, label: the museum" in after["town.world.yaml"]
    assert "visits[gallery]" in after["day.task.yaml"] and "place: gallery" in after["day.task.yaml"]
    after = session.texts_after(session.request("rename", document, "v.mode ==", 0, newName="w"))
    assert "all(w.mode == foot for w in visits)" in after["day.task.yaml"]


@pytest.mark.parametrize(
    ("words", "shift", "name", "reason"),
    [
        (
            "party: adults",
            1,
            "budget",
            r"the name `budget` is taken \(a definition of this name, .*sample\.task\.yaml:",
        ),
        ("party: adults", 1, "sum", "builtin function"),
        ("party: adults", 1, "if", "not a word of the language"),
        ("party: adults", 1, "a b", "is not a name"),
        ("dwell(v) >=", 6, "budget", "hides"),
        ("sum(v", 1, "total", "builtin function"),
        ("id: sample", 5, "other", "id of a document"),
    ],
)
def test_a_taken_or_invalid_name_is_refused(session: Session, words: str, shift: int, name: str, reason: str) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    with pytest.raises(RenameRefusedError, match=reason):
        session.request("rename", document, words, shift, newName=name)


def test_a_rename_that_would_capture_another_name_is_refused(session: Session) -> None:
    """A given with the name of an enum member would hide the member without a diagnostic."""
    text = SAMPLE.replace("dwell(v) >= 90min", "v.mode == bus").replace(
        "party: adults", "quick: Mode.taxi\n  party: adults"
    )
    document = session.open("sample.task.yaml", text)
    with pytest.raises(RenameRefusedError, match="cannot be the name"):
        session.request("rename", document, "quick: Mode", 1, newName="bus")


def test_names_used_in_answer_files_are_not_renamed(session: Session) -> None:
    text = SAMPLE[: SAMPLE.index("reference:")] + "reference: answer.json\n"
    (session.folder / "answer.json").write_text("{}")
    document = session.open("sample.task.yaml", text)
    with pytest.raises(RenameRefusedError, match=r"answer\.json"):
        session.request("rename", document, "v.cost for", 2, newName="fee")


def test_names_from_outside_the_project_are_not_renamed(session: Session) -> None:
    text = "planspec: task/1\nid: x\nquery: q\nuses: [worldtravel]\nworld: berlin\ngiven:\n  trip: [2026-07-01]\n"
    document = session.open("x.task.yaml", text)
    with pytest.raises(RenameRefusedError, match="is not a file of this project"):
        session.request("prepareRename", document, "trip", 1)


# -- the whole document -----------------------------------------------------------------------------------


def test_the_outline_lists_the_names_that_the_author_declared(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    symbols = {section["name"]: section for section in session.request("documentSymbol", document)}
    assert [x["name"] for x in symbols["constraints"]["children"]] == ["affordable", "unhurried"]
    assert [x["name"] for x in symbols["define"]["children"]] == ["party", "dwell(v visits)"]
    visits = symbols["plan"]["children"][0]
    assert [x["name"] for x in visits["children"]] == ["place", "day", "start", "end", "mode", "cost"]


def test_sections_and_comments_can_be_folded(session: Session) -> None:
    document = session.open("sample.task.yaml", "# one\n# two\n" + SAMPLE)
    folds = {(fold["startLine"], fold["endLine"]): fold["kind"] for fold in session.request("foldingRange", document)}
    assert folds[0, 2] == "comment"
    line = document.source.text.count("\n", 0, document.source.text.index("constraints:"))
    assert folds[line, line + 4] == "region"


def test_selections_are_extended_from_a_word_to_the_document(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    at = session.request("hover", document, "v.cost for", 2)["range"]["start"]
    (selection,) = session.request("selectionRange", document, positions=[at])
    sizes = []
    while selection is not None:
        start, end = selection["range"]["start"], selection["range"]["end"]
        sizes.append((end["line"] - start["line"], end["character"] - start["character"]))
        selection = selection.get("parent")
    assert len(sizes) >= 5 and sizes == sorted(sizes)


def test_words_of_expressions_are_coloured(session: Session) -> None:
    from planspec.live.language.highlighting import TYPES, classify_words

    document = session.open("sample.task.yaml", SAMPLE)
    data = session.request("semanticTokens/full", document)["data"]
    analysis = session.editor.analysis(document)
    assert analysis is not None
    tokens = [(token.span.text, token.type) for token in classify_words(analysis)]
    assert len(data) == 5 * len(tokens) and all(
        TYPES[data[at + 3]] == tokens[at // 5][1] for at in range(0, len(data), 5)
    )
    for word in [
        ("dwell", "function"),
        ("90min", "number"),
        ("for", "keyword"),
        ("visits", "struct"),
        ("cost", "property"),
        ("museum", "enumMember"),
        ("duration", "type"),
        ("Mode", "enum"),
        ("v", "parameter"),
    ]:
        assert word in tokens


def test_inlay_hints_show_inferred_types_and_short_values(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    end = {"line": 999, "character": 0}
    hints = session.request("inlayHint", document, range={"start": {"line": 0, "character": 0}, "end": end})
    labels = [hint["label"] for hint in hints]
    assert {": int = 3", ": duration", ": visits", ": list of date"} <= set(labels)
    assert all(len(label) < MAX_VALUE_LENGTH + 40 for label in labels)


def test_formatting_edits_only_lines_that_differ(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE.replace("adults + children", "adults+children"))
    edits = session.request("formatting", document)
    assert [edit["newText"] for edit in edits] == ["  party: adults + children\n"]
    assert session.texts_after({"changes": {document.uri: edits}}) == {"sample.task.yaml": SAMPLE}
    assert session.request("formatting", session.open("sample.task.yaml", SAMPLE)) == []
    assert session.request("formatting", session.open("sample.task.yaml", SAMPLE + "{")) == []


# -- actions ----------------------------------------------------------------------------------------------


def test_a_misspelt_name_is_corrected(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE.replace("<= budget", "<= budgt"))
    wrong = session.request("diagnostic", document)["items"]
    (fix,) = session.request("codeAction", document, "budgt", 1, context={"diagnostics": wrong})
    assert fix["title"] == "write `budget`" and session.texts_after(fix["edit"]) == {"sample.task.yaml": SAMPLE}


def test_a_row_can_be_left_out_of_a_task(session: Session) -> None:
    document = session.open_all_three()
    text = TASK.replace("visits[museum] is not none", "visits[park] is none")
    document = session.open("day.task.yaml", text)
    actions = session.request("codeAction", document, "park] is", 1, context={"diagnostics": []})
    (sold,) = [action for action in actions if action["title"].startswith("sell out")]
    after = session.texts_after(sold["edit"])["day.task.yaml"]
    assert "without:\n      - {id: park}" in after


def test_solver_commands_are_offered_if_they_apply(session: Session) -> None:
    document = session.open("sample.task.yaml", SAMPLE)
    actions = session.request("codeAction", document, "affordable", 1, context={"diagnostics": []})
    commands = {action["command"]["command"]: action["command"]["arguments"] for action in actions}
    assert commands["planspec.addCase"] == [{"uri": document.uri, "constraint": "affordable"}]
    assert "planspec.repairReference" in commands and "planspec.tighten" not in commands
