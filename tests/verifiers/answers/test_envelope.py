"""Everything that an agent returns is parsed as an answer, or is undelivered for a reason."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.resources.limits import ANSWER_BYTES, DEPTH
from planspec.verifiers.answers.envelope import Answer, Undelivered, open_answer, read_answer

PLAN = '{"visits": [{"place": "dom"}]}'
READ = {"visits": [{"place": "dom"}]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def read_as_answer(data: bytes | str, **options: Any) -> Answer:
    """Read what an agent returned, which must be an answer."""
    read = read_answer(data, **options)
    assert isinstance(read, Answer), read
    return read


def read_as_undelivered(data: bytes | str, **options: Any) -> str:
    """Read what an agent returned, which must be undelivered, and return the reason."""
    read = read_answer(data, **options)
    assert isinstance(read, Undelivered), read
    return read.reason


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        f"  \n{PLAN}\n",
        f"\ufeff{PLAN}",
        f"```json\n{PLAN}\n```",
        f"```\n{PLAN}\n```",
        f"Here it is:\n\n```json\n{PLAN}\n```\nHave a good trip!",
        f"~~~\n{PLAN}\n~~~",
        f"  ```json\n  {PLAN}\n  ```",
        f"```json\n{PLAN}",
        f"```json {PLAN}```",
        f"The plan is {PLAN}, I think.",
        f"Curly {{braces}} come first. {PLAN}",
        f'A draft: {{"visits": []}}. No, better: {PLAN}',
        f'```json\n{{"visits": []}}\n```\nOn second thought:\n```json\n{PLAN}\n```',
        f'```json\n{{"visits": []}}\n```\nToo short. My answer:\n{PLAN}',
        f'```json\n{PLAN}\n```\nThe form was {{"visits": [...]}}.',
        f'{{"visits": [...]}} is the form.\n{PLAN}',
        f"{PLAN} {{}}",
    ],
)
def test_the_last_complete_object_is_the_answer(text: str) -> None:
    for data in (text, text.encode()):
        assert read_as_answer(data) == Answer(None, READ)


@pytest.mark.parametrize(
    "text",
    [
        f'{PLAN} {{"confidence": 0.9}}',
        f'```json\n{PLAN}\n```\nHow sure am I?\n```json\n{{"confidence": 0.9}}\n```',
        f'```json\n{PLAN}\n```\n{{"total": 1168}}\n{{"name": "submit", "arguments": {{"sure": true}}}}',
        f'{{"visits": []}}\n{PLAN}\n{{"confidence": 0.9}}',
        f'{{"name": "submit", "arguments": {PLAN}}}',
        f'{{"visits": []}}\n{{"name": "submit", "arguments": {{"answer": {PLAN}}}}}',
        f'{{"visits": []}}\n{{"id": "1", "name": "submit", "arguments": {{"plan": {PLAN}}}}}\n{{"confidence": 0.9}}',
    ],
)
def test_the_last_object_in_the_format_of_answers_counts(text: str) -> None:
    """If the task's format is known, the function `fits` distinguishes answers from other JSON objects."""
    for data in (text, json.dumps({"task": "a", "plan": text})):
        assert read_as_answer(data, fits=lambda value: "visits" in value).plan == READ


def test_an_envelope_is_always_recognized_as_an_answer() -> None:
    """Whether an answer is an envelope is decided without `fits`, before its task and format are known."""
    for envelope in (f'{{"task": "a", "plan": {PLAN}}}', f'{{"plan": {PLAN}}}'):
        assert read_as_answer(f'{envelope}\n{{"confidence": 0.9}}').plan == READ


def test_a_refusal_counts_as_an_answer() -> None:
    """The last answer counts, whether it is a plan or a refusal."""
    refused = '{"task": "a", "infeasible": ["x"]}'
    for fits in (None, lambda value: "visits" in value):
        assert read_as_answer(f'{PLAN}\n{refused}\n{{"confidence": 1}}', fits=fits).plan == {"infeasible": ["x"]}
    assert read_as_answer(f"{refused}\n{PLAN}", fits=lambda value: "visits" in value).plan == READ


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        (f"````\n{PLAN}\n```\n````\nx", READ),  # a shorter line of marks closes no fence
        (f"```\n{PLAN}\n`````  \nx", READ),
        (f"```\n{PLAN}\n```~ \nx", READ),
        (f"~~~\n{PLAN}\n```\n~~~\nx", READ),
        (f"```\n```\n{PLAN}\nx", READ),
        (f'```\n{PLAN}\n``` x\n{{"visits": [\n', None),  # text after the marks: the fence goes on
        (f'```\n{PLAN}\n\t```\n{{"visits": [\n', READ),
    ],
)
def test_a_fence_ends_at_a_line_of_as_many_marks(text: str, plan: Any) -> None:
    read = read_answer(text)
    assert (read.plan if isinstance(read, Answer) else None) == plan


@pytest.mark.parametrize("inner", [PLAN, f"A: ```\n{PLAN}\n```", "nothing", ""])
def test_on_request_the_text_of_a_plan_in_an_envelope_is_not_parsed(inner: str) -> None:
    line = json.dumps({"task": "t", "sample": 2, "plan": inner})
    unopened = read_answer(line, opens_text=False)
    assert unopened == Answer("t", inner, (), {"sample": 2}) and not unopened.alone
    opened = read_answer(line)
    assert (opened.task, opened.beside) == (unopened.task, unopened.beside)
    for other in (json.dumps({"task": "t", "plan": READ}), json.dumps({"plan": inner}), PLAN, "x", f"x {PLAN}"):
        assert read_answer(other, opens_text=False) == read_answer(other)


def test_a_refusal_within_a_sentence_does_not_override_a_fenced_answer() -> None:
    """The brief contains the form of a refusal, and agents may repeat it in a sentence."""
    fenced = f"```json\n{PLAN}\n```\n"
    sentence = 'If there is none, answer {"infeasible": true}; it is checked.'
    assert read_as_answer(fenced + sentence, fits=lambda value: "visits" in value).plan == READ
    for fits in (None, lambda value: "visits" in value):
        assert read_as_answer(fenced + '{"infeasible": true}', fits=fits).plan == {"infeasible": True}
        assert read_as_answer(f"{PLAN}\n{sentence}", fits=fits).plan == {"infeasible": True}


def test_the_last_object_counts_if_none_is_an_answer() -> None:
    """The faults of the last object are then reported. If there are many objects, only the last ones are tried."""
    tried = 0

    def fits(value: Any) -> bool:
        nonlocal tried
        tried += 1
        return "visits" in value

    assert read_as_answer('{"a": 1} {"b": 2}', fits=fits).plan == {"b": 2}
    tried = 0
    assert read_as_answer(PLAN + ' {"b": 2}' * 50_000, fits=fits).plan == {"b": 2}
    assert tried <= 3_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("I cannot do that.", "not JSON"),
        ("[1, 2]", "a list, not an object"),
        ('"text"', "is text"),
        ("17", "a number"),
        ("1.5", "a number"),
        ("true", "a Boolean"),
        ("null", "null"),
        ("{}", "an empty object"),
        ("NaN", "NaN"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ('{"a": 1e999999999999999999999}', "a number that cannot be read"),
        (r'{"a": "\ud800"}', "surrogate"),
        (r'{"\udfff": 1}', "surrogate"),
        ('{"task": "x", "plan": null}', "the answer's plan is null"),
        ('{"task": "x", "plan": []}', "the answer's plan is a list"),
        ('{"task": "x", "plan": ""}', "empty"),
        ('{"task": "x", "plan": "no idea"}', "not JSON"),
    ],
)
def test_json_other_than_an_object_is_undelivered(text: str, expected: str) -> None:
    assert expected in read_as_undelivered(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"visits": [{"place": "dom"}, {"place": ',
        '{"visits": [{"place": "dom"}, {"place": "d',
        '{"visits": [{"place": "dom"},], "moves": [{"to": "x"}]}',
        'It is {"visits": [{"place": "dom"} {"place": "far"}]}',
        '```json\n{"visits": [{"place": "dom"}, {"pla\n```',
        f'A draft: {PLAN}\nThe plan: {{"visits": [{{"place": "dom"}}, {{"place": ',
        f'```json\n{PLAN}\n```\n```json\n{{"visits": [{{"place": "dom"}}, {{"place": \n```',
        "{\n" + '  "visits": [\n    {"place": "dom"}, // first\n    {"place": "far"}\n  ]\n}',
    ],
)
def test_a_part_of_a_broken_answer_is_never_read_as_the_answer(text: str) -> None:
    assert "not JSON" in read_as_undelivered(text)


def test_numbers_keep_their_digits() -> None:
    assert read_as_answer('{"date": 7.10, "cost": 0.1, "n": 17}').plan == {
        "date": Decimal("7.10"),
        "cost": Decimal("0.1"),
        "n": 17,
    }
    assert str(read_as_answer('{"date": 7.10}').plan["date"]) == "7.10"
    assert read_as_answer('{"n": 1' + "0" * 6000 + "}").plan["n"] == Decimal("1e6000")


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (f'{{"task": "berlin", "plan": {PLAN}}}', "berlin"),
        (f'{{"plan": {PLAN}, "task": "berlin", "model": "m"}}', "berlin"),
        (f'{{"plan": {PLAN}}}', None),
        (f'{{"task": 7, "plan": {PLAN}}}', "7"),
        (json.dumps({"task": "berlin", "plan": f"Sure:\n```json\n{PLAN}\n```"}), "berlin"),
    ],
)
def test_the_plan_and_the_task_in_an_envelope_are_read(text: str, task: str | None) -> None:
    opened = read_as_answer(text)
    assert (opened.task, opened.plan, opened.findings) == (task, READ, ())


def test_other_members_of_an_envelope_are_kept() -> None:
    assert read_as_answer(f'{{"task": "t", "sample": 3, "plan": {PLAN}, "tool_calls": 2}}').beside == {
        "sample": 3,
        "tool_calls": 2,
    }
    assert read_as_answer(f'{{"sample": 3, "plan": {PLAN}}}') == Answer(None, READ, beside={"sample": 3})
    assert read_as_answer('{"task": "t", "sample": 0, "infeasible": ["a"]}').plan == {"infeasible": ["a"]}


@pytest.mark.parametrize(
    ("text", "task", "beside"),
    [
        ('{"task": "t", "sample": 3, "plan": {"visits": [{', "t", {"sample": 3}),
        (b'{"sample": 3, "task": "t", "plan": "\xff"}', "t", {"sample": 3}),
        ('{"task": "t\\u00e9", "plan": [', "té", {}),
        (' \ufeff{"task": 7, "plan"', None, {}),
        ('{"model": {"name": 1}, "task": "t", "plan": [', None, {}),
        ('{"task": true, "plan": [', None, {}),
        ("no answer", None, {}),
        ("", None, {}),
    ],
)
def test_a_truncated_answer_keeps_its_task(text: bytes | str, task: str | None, beside: dict[str, Any]) -> None:
    read = read_answer(text)
    assert isinstance(read, Undelivered)
    assert (read.task, read.beside) == (task, beside)


def test_a_table_called_plan_is_not_an_envelope() -> None:
    assert read_as_answer('{"plan": [1], "visits": [2]}').plan == {"plan": [1], "visits": [2]}


def test_the_task_of_an_envelope_with_an_unreadable_plan_is_known() -> None:
    assert read_answer('{"task": "berlin", "plan": "sorry"}') == Undelivered(
        "the answer is not JSON: Expecting value (line 1, column 1)", "berlin"
    )


def test_a_list_is_an_answer_if_lists_are_allowed() -> None:
    assert read_as_answer('[{"days": 1}]', lists=True).plan == [{"days": 1}]
    assert read_as_answer('Trip [1]: [{"days": 1}]', lists=True).plan == [{"days": 1}]
    assert read_as_answer('{"task": "a", "plan": [{"days": 1}]}', lists=True) == Answer("a", [{"days": 1}])
    assert "empty list" in read_as_undelivered("[]", lists=True)


def test_a_repeated_name_is_a_finding_at_its_place() -> None:
    read = read_as_answer('{"visits": [{"place": "dom", "place": "far"}], "a/b": 1, "a/b": 2, "a/b": 3}')
    assert read.plan == {"visits": [{"place": "far"}], "a/b": 3}
    assert [(f.kind, f.path, f.fails) for f in read.findings] == [
        ("duplicate-name", "/a~1b", True),
        ("duplicate-name", "/visits/0/place", True),
    ]


def test_bytes_that_are_not_utf8_are_undelivered() -> None:
    assert read_as_undelivered(b'{"a": "\xff"}') == "the answer is not UTF-8 (byte 7)"


def test_depth_and_size_are_limited() -> None:
    deep = '{"a": ' + "[" * (DEPTH - 1) + "]" * (DEPTH - 1) + "}"
    assert read_as_answer(deep).plan["a"]
    assert "deeper" in read_as_undelivered('{"a": ' + "[" * DEPTH + "]" * DEPTH + "}")
    assert "deeper" in read_as_undelivered("[" * 100_000)
    assert "deeper" in read_as_undelivered('{"a":' * 100_000)
    assert "deeper" in read_as_undelivered("so: " + '{"a":' * 100_000)
    assert "larger" in read_as_undelivered(b" " * (ANSWER_BYTES + 1))
    assert "larger" in read_as_undelivered(" " * (ANSWER_BYTES + 1))


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "{",
        '{"',
        '{"a',
        '{"a":',
        "[",
        "[{",
        "{[",
        "```\n",
        "~~~\n{",
        " ",
        "\\",
        '{"a":"',
        '{"a":x\n',
        '{"a":"\n',
    ],
)
def test_long_texts_without_an_answer_are_read_quickly(part: str) -> None:
    text = "x" + part * 200_000
    assert read_as_undelivered(text)
    assert read_as_undelivered(text, lists=True)


@given(st.binary())
def test_any_bytes_are_an_answer_or_undelivered(data: bytes) -> None:
    assert isinstance(read_answer(data), Answer | Undelivered)


@given(st.text('{}[]":,\\`~ \n\tajsonplantsk0123456789.eE+-NIu\ud800é', max_size=80), st.booleans())
def test_any_text_is_an_answer_or_undelivered(text: str, lists: bool) -> None:
    read = read_answer(text, lists=lists)
    assert isinstance(read, Undelivered) or isinstance(read.plan, dict | list)


@given(JSON)
def test_any_json_is_an_answer_or_undelivered(value: Any) -> None:
    read = read_answer(json.dumps(value))
    if isinstance(value, dict) and value and "plan" not in value and isinstance(read, Answer):
        assert list(read.plan) == list(value)
    elif not isinstance(value, dict):
        assert isinstance(read, Undelivered)


@given(
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=10), min_size=1, max_size=5),
    st.text("ab `\n", max_size=20),
)
def test_prose_around_an_answer_is_ignored(value: dict[str, Any], prose: str) -> None:
    bare = read_answer(json.dumps(value))
    if isinstance(bare, Answer):
        assert read_answer(f"{prose}\n{json.dumps(value)}\n{prose}") == bare


@pytest.mark.parametrize(
    "text",
    [
        "~" * 1_000_000,
        "`" * 1_000_000,
        "~~~\n" * 250_000,
        "```\n" + " " * 1_000_000 + "x",
        "```\n" + ("~" * 100 + "\n") * 10_000,
        "~~~\n" + "~~~ x\n" * 150_000,
        "~~~\n~~~" + "`~" * 500_000 + "x",
        " \t" * 500_000 + "```",
        "{ " * 500_000,
        ("{" + " " * 1_000) * 1_000,
        ("[" + " " * 1_000 + "{") * 1_000,
        '{"a": ' * 160_000,
        '{"a": [' + "1," * 500_000,
        ('{"a": "' + "\\" * 1_000) * 1_000,
        '{"a"' + " " * 1_000_000,
        '\n{"a": "' * 120_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_million_hostile_characters_are_read_in_one_pass(text: str) -> None:
    assert isinstance(read_answer(text), Undelivered)


@pytest.mark.slow
def test_an_answer_with_too_many_values_is_undelivered() -> None:
    assert "more than 100,000 items" in read_as_undelivered('{"a": [' + "{}," * 100_000 + "{}]}")
    rows = "[" + "[0,0,0,0]," * 99_999 + "[0]]"
    assert "values" in read_as_undelivered(f'{{"a": {rows}, "b": {rows}, "c": {rows}}}')
    assert read_as_answer('{"a": [' + "{}," * 99_999 + "{}]}").plan["a"][-1] == {}


def test_names_are_limited_in_length() -> None:
    assert "name of more than 1,000 characters" in read_as_undelivered(
        '{"' + "x" * 1_001 + '": [' + "[]," * 1_000 + "[]]}"
    )
    deep = '{"' + "x" * 1_000 + '":'
    text = deep * 90 + "[" + "[]," * 50_000 + "[]]" + "}" * 90
    assert isinstance(read_answer(text), Answer)


def test_a_nested_repeated_name_is_reported_at_its_place() -> None:
    (finding,) = read_as_answer('{"a": [{}, {"b/c": [{"x": 1, "x": 2}]}]}').findings
    assert finding.path == "/a/1/b~1c/0/x"


@pytest.mark.slow
def test_decoded_json_is_refused_for_the_same_reasons_as_its_text() -> None:
    for data, reason in (
        ({"a": "\ud800"}, "surrogate"),
        ({"a\udfff": 1}, "surrogate"),
        ({"x" * 1_001: 1}, "name of more"),
        ({"a": [{}] * 100_001}, "100,000 items"),
        ({"a": ({},) * 100_001}, "100,000 items"),
    ):
        refused = open_answer(data)
        assert isinstance(refused, Undelivered)
        assert reason in refused.reason
    assert open_answer({"a": [{}] * 100_000}) == Answer(None, {"a": [{}] * 100_000})


@pytest.mark.parametrize("text", ["Here is no plan.", "\n \t Sorry.", "\u00a0{", "no", "I give up", "None", "-", "é"])
def test_text_without_json_is_undelivered_for_the_reason_of_a_json_decoder(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    error = caught.value
    reason = f"the answer is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
    assert read_answer(text) == Undelivered(reason)


def test_a_fenced_object_with_a_duplicate_name_is_read_with_a_finding() -> None:
    answer = read_answer('Done.\n```json\n{"a": 1, "a": 2}\n```\n')
    assert isinstance(answer, Answer)
    assert (answer.plan, [finding.kind for finding in answer.findings], answer.alone) == (
        {"a": 2},
        ["duplicate-name"],
        False,
    )
