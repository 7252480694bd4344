"""Each query states every slot from which it was worded, and has only one meaning."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import FAMILIES, Scenario
from planspec.families.mobilitybench.grammar import Condition, Hole, StatedValue, Words, nodes
from planspec.families.mobilitybench.program import programs
from planspec.families.mobilitybench.spoken import WORDED, Language
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.mobilitybench.wording import HERE, WISHES, Moment, NoWordingError, QueryPiece, Wording, wording
from tests.families.mobilitybench.drawing.towns import CITIES, drafts
from tests.families.mobilitybench.wording_reading import readings, slots_fit
from tests.paths import ROOT

MOMENT = Moment("2026-05-11", "08:00")
DrawnSlots = tuple[Scenario, dict[str, Any]]


@cache
def drawn_slots(language: Language) -> tuple[DrawnSlots, ...]:
    """Return randomly drawn slots, with kinds of places named in the language."""
    words = wording(language)
    kinds = {word: category for one in WORDED for word, category in wording(one).kinds.items()}
    own = {category: word for word, category in words.kinds.items()}
    drawn_slots: list[DrawnSlots] = []
    for scenario in Scenario:
        for name in CITIES:
            for _, draft in drafts(scenario, name, 4):
                slots = dict(draft.slots)
                if slots.get("place") in kinds:
                    slots["place"] = own[kinds[str(slots["place"])]]
                drawn_slots.append((scenario, slots))
    return tuple(drawn_slots)


@cache
def gold_queries(language: Language) -> tuple[tuple[DrawnSlots, str], ...]:
    """Return queries, each with the slots from which it was worded."""
    words, rng = wording(language), Random(5)
    return tuple(
        ((scenario, slots), words.query(scenario, slots, MOMENT.today, rng, MOMENT.now))
        for scenario, slots in drawn_slots(language)
    )


def rules(words: Wording) -> Iterator[tuple[str, Words | Hole | StatedValue | Condition]]:
    """Yield the words, placeholders, values and conditions in a grammar, each with the name of its rule."""
    for name in words.grammar.texts:
        for node in nodes(words.grammar.rule(name)):
            if isinstance(node, Words | Hole | StatedValue | Condition):
                yield name, node


# ------------------------------------------------------------------ the grammars


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("language", WORDED)
def test_each_set_of_drawn_slots_has_hundreds_of_wordings(language: Language) -> None:
    words = wording(language)
    for scenario, slots in drawn_slots(language):
        assert words.count_sentences(scenario, slots, MOMENT) >= 300, (scenario, slots)


@pytest.mark.parametrize("language", WORDED)
def test_sentences_state_only_slots_of_their_scenario(language: Language) -> None:
    words = wording(language)
    for scenario in Scenario:
        tokens = words.grammar.summary(words.root(scenario)).tokens
        own = {token.partition("=")[0] for token in tokens} - {"wish", "kind"}
        assert own - {"via"} <= set(programs()[scenario].slots), scenario
        assert "wish" not in tokens or set(programs()[scenario].slots) & set(WISHES)


@pytest.mark.parametrize("language", WORDED)
def test_guards_and_roles_in_the_grammars_exist(language: Language) -> None:
    words = wording(language)
    modes, wishes = words.words["mode"], words.words["preferences"]
    traits = {
        *(
            f"{slot}~{kind}"
            for slot in ("destination", "origin", "near", "place")
            for kind in (*words.names, "named", "here")
        ),
        *(f"mode~{mode}" for mode in modes),
        *(f"preferences~{wish}" for wish in wishes),
        *(f"kind~{kind}" for kind in words.words["category"]),
        *(f"max_transfers~{n}" for n in range(4)),
        *(f"now~{part}" for part in ("morning", "afternoon", "evening")),
        "days~today",
        "days~later",
        "vehicle~car",
    }
    for name, node in rules(words):
        match node:
            case Condition(trait):
                assert trait in traits, name
            case Hole("mode", role):
                assert all(role in forms for forms in modes.values()), (name, role)
            case Hole("wish", role):
                assert all(role in forms for forms in wishes.values()), (name, role)
            case _:
                pass


@pytest.mark.parametrize("language", WORDED)
def test_words_contain_neither_labels_nor_values(language: Language) -> None:
    slots = {name for program in programs().values() for name in program.slots}
    labels = {scenario.value.casefold() for scenario in Scenario} | {
        family.value.casefold() for family in FAMILIES.values()
    }
    words = wording(language)
    for _, node in rules(words):
        if isinstance(node, Words):
            plain = node.text.casefold()
            assert not any(label in plain for label in labels)
            assert not re.search(r"_|\bhh:mm\b|\d", plain), plain  # only slots state numbers
            assert not {name for name in slots if "_" in name and name in plain}
    forms = [str(form) for form in _leaves(words.words)]
    assert not [form for form in forms if "_" in form]


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values in nested lists and mappings."""
    match value:
        case dict():
            for one in value.values():
                yield from _leaves(one)
        case list():
            for one in value:
                yield from _leaves(one)
        case _:
            yield value


@pytest.mark.parametrize("language", [one for one in WORDED if one in {"zh", "ja"}])
def test_chinese_and_japanese_words_hold_no_latin_letters(language: Language) -> None:
    for name, node in rules(wording(language)):
        assert not isinstance(node, Words) or not re.search(r"[A-Za-z,?!.:]", node.text), (name, node)


@pytest.mark.parametrize("language", WORDED)
def test_values_of_a_slot_have_distinct_wordings(language: Language) -> None:
    words = wording(language)
    for slot in ("mode", "preferences", "max_transfers"):
        for role in {role for roles in words.words[slot].values() for role in roles}:
            values: dict[str, Any] = {}
            for value, roles in words.words[slot].items():
                for form in roles.get(role, ()):
                    assert values.setdefault(form, value) == value
    for forms in zip(*words.words["category"].values(), strict=False):
        assert len(forms) == len(set(forms))


def test_the_map_finds_all_kinds_of_places_in_the_wordings() -> None:
    from planspec.families.mobilitybench.map.categories import category_of

    for language in WORDED:
        for word, category in wording(language).kinds.items():
            assert category_of(word) == category


# ------------------------------------------------------------------ the queries


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("language", WORDED)
def test_each_name_is_in_the_query(language: Language) -> None:
    for (_, slots), query in gold_queries(language):
        for slot in ("near", "origin", "destination", "road", "city", "district", "address", "use_line"):
            if slots.get(slot, HERE) != HERE:
                assert slots[slot] in query, (query, slot)
        for slot in ("via", "avoid_roads", "avoid_lines"):
            at = [query.find(name) for name in slots.get(slot, ())]
            assert -1 not in at and at == sorted(at), (query, slot)


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("language", WORDED)
def test_no_query_has_two_readings(language: Language) -> None:
    """A query is compared with every sentence of every scenario, and with each name in each slot."""
    words = wording(language)
    for (scenario, slots), query in gold_queries(language):
        assert readings(words, slots, query, MOMENT) == [(scenario, slots)], query


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("language", WORDED)
def test_queries_with_the_same_slots_have_different_words(language: Language) -> None:
    """At least 24 of 40 queries with the same slots differ; at least 21 if the only slot is a kind of place."""
    words, rng = wording(language), Random(3)
    for scenario in Scenario:
        patterns: Counter[str] = Counter()
        slots = next(slots for one, slots in drawn_slots(language) if one is scenario)
        for _ in range(40):
            query = words.query(scenario, slots, MOMENT.today, rng, MOMENT.now)
            patterns[words.query_pattern(slots, query, MOMENT.today, MOMENT.now)] += 1
        least = 24 if slots.keys() - {"place", "limit"} else 21
        assert len(patterns) >= least, (scenario, patterns.most_common(3))


@pytest.mark.parametrize(
    ("language", "query", "clear"),
    [
        ("en", "directions to X by car at 9 pm", False),
        ("en", "What's the route to X for 9 pm?", False),
        ("en", "I'm going to X by car. I leave at 9 pm.", True),
        ("en", "If I set off at 9 pm, how do I get to X?", True),
        ("zh", "晚上9点开车去X怎么走", False),
        ("zh", "开车去X怎么走，晚上9点出发", True),
    ],
)
def test_a_time_without_a_verb_of_departure_or_arrival_is_unclear(language: Language, query: str, clear: bool) -> None:
    slots: dict[str, Any] = {"destination": "X", "mode": "drive", "depart_at": "21:00"}
    assert wording(language).is_clear(slots, query, MOMENT.today) is clear


@pytest.mark.slow
@pytest.mark.parametrize("language", WORDED)
def test_the_times_in_generated_queries_are_unambiguous(language: Language) -> None:
    words, rng = wording(language), Random(8)
    slots: dict[str, Any] = {"destination": "X", "origin": "Y", "mode": "drive", "depart_at": "09:00"}
    for scenario, more in (
        (Scenario.POINT_TO_POINT, {}),
        (Scenario.ROUTE_PROPERTY, {"asked": "time"}),
        (Scenario.TIME, {"asked": "possible", "arrive_by": "10:00"}),
        (Scenario.CUSTOMIZED, {"avoid_roads": ["Z"]}),
    ):
        own = slots | more
        for _ in range(60):
            query = words.query(scenario, own, MOMENT.today, rng, MOMENT.now)
            assert words.is_clear(own, query, MOMENT.today, MOMENT.now), query


# ------------------------------------------------------------------ details


@pytest.mark.slow
def test_random_slots_fit_their_scenario_and_no_other() -> None:
    for scenario in (Scenario.OPTIONS, Scenario.CUSTOMIZED):
        for name in CITIES:
            for _, draft in drafts(scenario, name, 12):
                assert slots_fit(scenario, draft.slots)


def test_sentences_begin_with_capital_letters_or_have_no_last_mark() -> None:
    words = wording("en")
    slots: dict[str, Any] = {"destination": "X", "mode": "drive", "avoid_roads": ["the Ring"]}
    queries = [words.query(Scenario.CUSTOMIZED, slots, MOMENT.today, Random(n)) for n in range(60)]
    assert {query[0].isupper() for query in queries if query[-1] in ".?"} == {True}
    assert any(query[0].islower() for query in queries)


def test_misplaced_full_stops_are_rare_and_never_within_a_name() -> None:
    slots: dict[str, Any] = {"destination": "福溪 公园", "origin": "南江", "mode": "drive"}
    queries = [wording("zh").query(Scenario.POINT_TO_POINT, slots, MOMENT.today, Random(n)) for n in range(200)]
    assert 4 <= sum("。" in query for query in queries) <= 40
    assert all("福溪 公园" in query for query in queries)


CAR = {
    "en": r"picking me up|low on gas|battery is|learning to drive",
    "zh": r"没油|电不多|新手上路",
    "de": r"Tank ist|Akku ist|lerne gerade fahren",
    "ja": r"ガソリン|電池|運転の練習",
}
"""Reasons that only a driver has, by language."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("language", WORDED)
@pytest.mark.parametrize("in_query", [True, False])
def test_reasons_agree_with_the_mode_of_transport(language: Language, in_query: bool) -> None:
    """A reason that only drivers have occurs only if the user drives, according to the query or by default."""
    words, counts = wording(language), Counter[str]()
    for mode in ("drive", "cycle"):
        own = {"mode": mode} if in_query else {}
        lights: list[tuple[Scenario, dict[str, Any]]] = [
            (Scenario.ROUTE_PROPERTY, {"destination": "X", "asked": "lights", "mode": mode}),
            (Scenario.OPTIONS, {"destination": "X", "preferences": ["shortest"], **own}),
            (Scenario.POINT_TO_POINT, {"destination": "X", **own}),
        ]
        for scenario, slots in lights:
            for n in range(200):
                tool = None if "mode" in slots else mode
                query = words.query(scenario, slots, MOMENT.today, Random(n), travel_tool=tool)
                counts[mode] += re.search(CAR[language], query) is not None
    assert counts["drive"] > 0
    assert counts["cycle"] == 0


NO_PAUSE_AFTER = {
    "en": r"\b(?:to|from|in|on|at|via|by|near|of|the|an?|and|find|is)\.",
    "zh": r"[从到去在离的我要]。",
    "de": r"\b(?:in|über|um|bis|vor|nach|für|von|zu|bei|eine?|die|der|das|ist)\.",
    "ja": r"[のいるたな]。",
}
"""For each language, a pattern of words that are followed by a full stop although no speaker pauses after them."""


@pytest.mark.slow
@pytest.mark.parametrize("language", WORDED)
def test_misplaced_full_stops_are_where_people_may_pause(language: Language) -> None:
    words, cut = wording(language), 0
    for scenario, slots in drawn_slots(language):
        for required in list(words.required_tokens(scenario, slots))[:1]:
            traits = words.traits(slots, MOMENT)
            if not words.grammar.count_wordings(words.root(scenario), required, traits):
                continue
            leaves = words.grammar.draw(words.root(scenario), required, traits, Random(str(slots)))
            pieces = [p for leaf in leaves for p in words._pieces(leaf, required, slots, MOMENT, Random(1))]
            before = "".join(piece.text for piece in pieces)
            after = "".join(piece.text for piece in words._insert_full_stop(pieces, Random(1)))
            at = next((n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
            if at is None:
                continue
            cut += 1
            assert not re.search(NO_PAUSE_AFTER[language] + "$", after[: at + 1]), after
            assert after[:at] + (" " if language in {"en", "de"} else "") + after[at:].lstrip(".。 ") == before
    assert cut >= 20


def test_shipped_queries_pause_and_give_reasons_as_people_do() -> None:
    for episode in read_episodes(ROOT / "tasks" / "mobilitybench"):
        assert episode.language is not None
        for begin in re.finditer(r"\. (?=[^A-Z])|。", episode.query):
            assert not re.search(NO_PAUSE_AFTER[episode.language] + "$", episode.query[: begin.start() + 1]), (
                episode.query
            )
        if episode.constraints.get("mode", episode.context.travel_tool) not in {None, "drive"}:
            assert not re.search(CAR[episode.language], episode.query), episode.query


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", ["show me directions ", ("X", "origin")], None),
        ("en", ["show me directions ", "from ", ("X", "origin")], "show me directions. from X"),
        ("en", ["how do I get to ", ("X", "destination"), " ", ("by car", "mode")], None),
        ("zh", ["帮我导航从", ("X", "origin"), "到", ("Y", "destination")], None),
        ("de", ["wie komme ich ", ("zum X", "destination")], "wie komme ich. zum X"),
        ("ja", ["近くの", ("X", "place")], "近くのX"),
    ],
)
def test_a_misplaced_full_stop_is_before_the_preposition_of_a_slot(
    language: Language, words: list[str | tuple[str, str]], expected: str | None
) -> None:
    pieces = [QueryPiece(each) if isinstance(each, str) else QueryPiece(*each) for each in words]
    found = {"".join(p.text for p in wording(language)._insert_full_stop(pieces, Random(n))) for n in range(9)}
    if expected is not None:
        assert found == {expected}
    elif language == "zh":
        assert found == {"帮我导航。从X到Y", "帮我导航从X。到Y"}
    elif len(words) == 2:
        assert found == {"show me directions X"}
    else:
        assert found == {"how do I get. to X by car", "how do I get to X. by car"}


def test_the_users_location_is_stated_as_here_and_not_by_coordinates() -> None:
    for language in WORDED:
        required = list(wording(language).required_tokens(Scenario.GEOLOCATION, {"location": HERE}))
        assert required == [frozenset({"location=here"})]


def test_a_limit_of_one_is_stated_as_the_nearest() -> None:
    slots: dict[str, Any] = {"place": "pharmacy", "near": HERE, "limit": 1}
    assert list(wording("en").required_tokens(Scenario.NEARBY_SEARCH, slots)) == [
        frozenset({"kind", "near", "limit=1"})
    ]


def test_places_on_the_way_are_stated_in_order() -> None:
    slots: dict[str, Any] = {"destination": "D", "via": ["B", "A"], "mode": "drive"}
    for n in range(20):
        query = wording("en").query(Scenario.MULTI_STOP, slots, MOMENT.today, Random(n))
        assert "B and then A" in query


def test_coordinates_are_stated_with_their_names() -> None:
    forms = wording("en").forms("location", "-0.127800,51.507400", MOMENT)
    assert forms == ("longitude -0.127800, latitude 51.507400", "latitude 51.507400, longitude -0.127800")


def test_near_times_are_worded_as_waits() -> None:
    assert "in half an hour" in wording("en").forms("depart_at", "08:30", MOMENT, "when")
    assert "半小时后" in wording("zh").forms("depart_at", "08:30", MOMENT, "when")
    assert not any("in " in form for form in wording("en").forms("depart_at", "08:37", MOMENT, "when"))


def test_a_pattern_has_no_names_and_numbers() -> None:
    slots: dict[str, Any] = {
        "destination": "Elm Inn",
        "origin": HERE,
        "depart_at": "08:30",
        "via": ["A 3", "Elm Park"],
    }
    query = "From my location to Elm Inn via A 3 and then Elm Park, I leave in half an hour, bus 7."
    pattern = "from my location to <destination> via <via> and then <via>, i leave in <depart_at>, bus #"
    masked = wording("en").query_pattern(slots, query, MOMENT.today, MOMENT.now)
    assert masked == pattern.replace("in <depart_at>", "<depart_at>")


def test_slots_that_no_sentence_states_are_refused() -> None:
    with pytest.raises(NoWordingError, match="Weather Query: nothing says radius"):
        wording("en").query(Scenario.WEATHER, {"radius": 500}, MOMENT.today, Random(1))


@pytest.mark.parametrize(
    ("name", "to", "at", "without"),
    [
        ("Wien", "nach Wien", "in Wien", "Wien"),
        ("Rosenbach Markt", "nach Rosenbach Markt", "in Rosenbach Markt", "Rosenbach Markt"),
        ("Köln Hauptbahnhof", "nach Köln Hauptbahnhof", "bei Köln Hauptbahnhof", "Köln Hauptbahnhof"),
        ("Flughafen Köln", "zum Flughafen Köln", "beim Flughafen Köln", "den Flughafen Köln"),
        ("Burg Adlerstein", "zur Burg Adlerstein", "bei der Burg Adlerstein", "die Burg Adlerstein"),
        ("Kloster Adlerstein", "zum Kloster Adlerstein", "beim Kloster Adlerstein", "das Kloster Adlerstein"),
        ("Kloster-Apotheke", "zur Kloster-Apotheke", "bei der Kloster-Apotheke", "die Kloster-Apotheke"),
        (
            "Landstraße Graz-Rosenbach Markt",
            "zur Landstraße Graz-Rosenbach Markt",
            "bei der Landstraße Graz-Rosenbach Markt",
            "die Landstraße Graz-Rosenbach Markt",
        ),
        ("Express Wien-Linz", "zum Express Wien-Linz", "beim Express Wien-Linz", "den Express Wien-Linz"),
        ("Krone", "zu Krone", "bei Krone", "Krone"),
    ],
)
def test_german_names_have_their_articles(name: str, to: str, at: str, without: str) -> None:
    """Names of towns, and of stations named after a town, have no article."""
    words = wording("de")
    forms = [words.forms("destination", name, MOMENT, role) for role in ("zu", "bei", "akk")]
    assert forms == [(to,), (at,), (without,)]
