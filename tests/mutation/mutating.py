"""Random mutations of a document's text, and of an answer's JSON and text."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

WORD = re.compile(r"[^\W\d]\w*|\d+|\s+|.", re.DOTALL)
FRAGMENTS = (
    *"()[]{}<>=!?.,:;'\"|&*#%@`-+/\\~^$\t\0\u2028\u202eé٣",
    "..",
    "??",
    "//",
    "==",
    ": ",
    " #",
    "\n",
    "\n  ",
    "- ",
    "---",
    "!!int ",
    "&a ",
    "*a",
    ">-",
    "%YAML 1.1\n",
    "\ufeff",
    "\\ud800",
    '"\\ud800"',
    "not ",
    "none",
    "if ",
    "else ",
    "implies ",
    "is none",
    "is unknown",
    "in ",
    "for x in ",
    "all(",
    "any(",
    "count(",
    "sum(",
    "min(",
    "first(",
    "the(",
    "steps(",
    "all_different(",
    " step 0",
    " step -1",
    "0..1000000000",
    "00:00..30:00 step 1min",
    "0",
    "-1",
    "1.5",
    "9007199254740993",
    "9" * 60,
    "2026-02-30",
    "25:99",
    "12.345 EUR",
    "key ",
    "set of ",
    "list of ",
    "text",
    "int",
    "money",
    "date",
    "moment",
    "duration",
    "one: true",
    "unique: ",
    "minimize: ",
    "closed: ",
    "turns:\n  - query: x\n",
    "csv: a.csv",
    "jsonl: a",
    "uses: [",
    "without: ",
    "__class__",
    "self",
    "lambda",
    "(" * 60,
    "[1," * 40,
    "not " * 120,
    "{" * 20,
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**53,
    2**64,
    10**400,
    -(10**30),
    1.5,
    -0.0,
    1e308,
    "",
    " ",
    "-",
    "0",
    "-1",
    "1e400",
    "NaN",
    "1/0",
    "٣",
    "½",
    "1_000",
    "0x10",
    "5 EUR",
    "12.505 EUR",
    "9" * 30 + " EUR",
    "25:61",
    "24:00",
    "99999:00",
    "-1:00",
    "9:00-8:00",
    "2026-02-30",
    "0000-00-00",
    "10000-01-01",
    "a" * 5_000,
    "\u202e",
    "\0",
    "\ud800",
    "é",
    "{x}",
    "%s",
    "../../etc/passwd",
    "<script>",
    "__class__",
    [],
    {},
    [[]],
    [{}],
    [None],
    {"": ""},
    {"a": {}},
    ["a"] * 300,
    "from A to B",
    "Flight Number: F1",
    "; ; ;",
    ";" * 300,
    ", " * 300,
)
NAMES = ("", "task", "plan", "id", "turns", "infeasible", "cost", "__class__", "x" * 999, "\ud800", "é")


def mutate_document(text: str, others: Sequence[str], random: Random) -> str:
    """Return a document after one to three mutations.

    Args:
        text: the document.
        others: documents from which words and lines are taken.
        random: source of the random mutations.
    """
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        change = random.choice(
            (
                _replace_character,
                _repeat_or_remove_stretch,
                _insert_fragment,
                _replace_word,
                _replace_word,
                _change_lines,
                _insert_foreign_lines,
                _swap_words,
            )
        )
        text = change(text, random.choice(others), random)
    return text


def _replace_character(text: str, _: str, random: Random) -> str:
    """Replace a random character, or append one."""
    at = random.randrange(len(text) + 1)
    return text[:at] + chr(random.choice((random.randrange(32, 127), random.randrange(0xD7FF)))) + text[at + 1 :]


def _repeat_or_remove_stretch(text: str, _: str, random: Random) -> str:
    """Remove or double a random stretch of text."""
    start = random.randrange(len(text) + 1)
    end = start + random.choice((1, 2, 5, 20, 200))
    return text[:start] + text[start:end] * random.choice((0, 0, 2)) + text[end:]


def _insert_fragment(text: str, _: str, random: Random) -> str:
    """Insert a fragment that is special in YAML or in the language."""
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(FRAGMENTS) + text[at:]


def _replace_word(text: str, other: str, random: Random) -> str:
    """Replace a word by another word, by a fragment of syntax, or by nothing."""
    words = list(WORD.finditer(text))
    if not words:
        return other
    match = random.choice(words)
    new = random.choice((random.choice(words)[0], random.choice(WORD.findall(other)), random.choice(FRAGMENTS), ""))
    return text[: match.start()] + new + text[match.end() :]


def _change_lines(text: str, _: str, random: Random) -> str:
    """Remove, copy, exchange, indent or unindent lines."""
    lines = text.split("\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines[at] = "  " + lines[at]
        case _:
            lines[at] = lines[at][2:]
    return "\n".join(lines)


def _insert_foreign_lines(text: str, other: str, random: Random) -> str:
    """Insert lines of another document."""
    lines, foreign = text.split("\n"), other.split("\n")
    at, start = random.randrange(len(lines)), random.randrange(len(foreign))
    lines[at : at + random.choice((0, 1))] = foreign[start : start + random.choice((1, 2, 5))]
    return "\n".join(lines)


def _swap_words(text: str, _: str, random: Random) -> str:
    """Exchange two words of a line."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    words = WORD.findall(lines[at])
    if len(words) > 1:
        one, two = random.sample(range(len(words)), 2)
        words[one], words[two] = words[two], words[one]
    lines[at] = "".join(words)
    return "\n".join(lines)


# -- answers --------------------------------------------------------------------------------------


def mutate_answer(right: Any, random: Random) -> Any:
    """Return an answer's JSON after one to six mutations."""
    answer = copy.deepcopy(right)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        places = list(_paths(answer))
        place = random.choice(places)
        answer = _mutate_value(answer, place, _value_at(answer, random.choice(places)), random)
    return answer


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in JSON data."""
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from _paths(value[name], (*path, name))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _paths(part, (*path, place))


def _value_at(value: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path in JSON data."""
    for part in path:
        value = value[part]
    return value


def _mutate_value(whole: Any, path: tuple[Any, ...], other: Any, random: Random) -> Any:
    """Return JSON data with a mutation of the value at a path."""
    value = _value_at(whole, path)
    match random.randrange(8):
        case 0 if path:
            del _value_at(whole, path[:-1])[path[-1]]
            return whole
        case 1 if isinstance(value, list):
            value.insert(random.randrange(len(value) + 1), copy.deepcopy(random.choice((other, *VALUES))))
            return whole
        case 2 if isinstance(value, list):
            random.shuffle(value)
            return whole
        case 3 if isinstance(value, list) and len(value) < 100:
            value *= random.choice((2, 3))
            return whole
        case 4 if isinstance(value, dict):
            value[random.choice(NAMES)] = copy.deepcopy(random.choice(VALUES))
            return whole
        case 5 if isinstance(value, str) and value:
            at = random.randrange(len(value))
            new = value[:at] + random.choice(FRAGMENTS) + value[at + random.choice((0, 1)) :]
        case 6:
            new = copy.deepcopy(other)
        case _:
            new = copy.deepcopy(random.choice(VALUES))
    if not path:
        return new
    _value_at(whole, path[:-1])[path[-1]] = new
    return whole


def damage_text(answer: Any, random: Random) -> str:
    """Return an answer's JSON as a text that may have a code fence, prose around it, a missing end, or junk."""
    text = json.dumps(answer, ensure_ascii=random.random() < 0.5)
    at = random.randrange(len(text) + 1)
    match random.randrange(12):
        case 0:
            return f"```json\n{text}\n```"
        case 1:
            return f"First {text[:at]} and then {text}"
        case 2:
            return text[:at]
        case 3:
            junk = (
                "NaN",
                "-Infinity",
                "1e999999999",
                "\0",
                "\ufeff",
                "}",
                "{",
                '"',
                "\\",
                "[",
                "9" * 5_000,
                "\\ud800",
            )
            return text[:at] + random.choice(junk) + text[at:]
        case 4:
            return json.dumps(
                {"task": random.choice(("x", 1, None, ["a"], "a@2")), "plan": random.choice((answer, text))}
            )
        case 5:
            return "[" * random.choice((50, 99, 101, 2_000)) + text
        case 6:
            return json.dumps({"task": "x", "infeasible": random.choice(([], ["x"], [1], None, "all", {"a": 1}))})
        case 7:
            return ("~" * random.choice((3, 400))) + text[:at] + "\n" + text + "\n~~~"
        case _:
            return text
