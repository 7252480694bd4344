"""Pygments lexer for planspec documents: YAML with highlighted expressions."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS
from planspec.dsl.structure.document_keys import PATH_SOURCES
from planspec.live.language.lexemes import LexemeKind, lexemes

PROSE_KEYS = frozenset(
    {
        "message",
        "says",
        "kind",
        "query",
        "title",
        "doc",
        "text",
        "say",
        "uses",
        "world",
        "reference",
        "brief",
        "role",
        "encoding",
        "file",
        "planspec",
        "id",
    }
    | PATH_SOURCES
)
"""Keys whose values are not expressions, but prose or names of files and documents."""
LINE = re.compile(r"(?P<blank>[ \t]*)(?P<dashes>(?:- +)*)(?P<rest>[^\n]*)(?P<end>\n?)")
KEY = re.compile(
    r"(?P<before>[{,]?[ \t]*)(?P<key>[^\s{}\[\],:#\"'](?:\([^\n:]*?\)|[^{}\[\],:#\"'\n(])*?|\"[^\"\n]*\")(?P<colon>:)(?=[ \t]|$)"
)
COMMENT = re.compile(r"(?:(?<=[ \t])|^)#.*$")
HEADER = re.compile(r"[ \t]*[|>][-+]?[ \t]*(?=#|$)")
TOKENS: dict[LexemeKind, Any] = {
    "number": Number,
    "string": String,
    "keyword": Keyword,
    "constant": Keyword.Constant,
    "name": Name,
    "operator": Operator,
    "punctuation": Punctuation,
}


class PlanspecLexer(Lexer):  # type: ignore[misc]  # Pygments has no type stubs
    """Lexer for planspec documents."""

    name = "planspec"
    aliases: ClassVar[list[str]] = ["planspec"]
    filenames: ClassVar[list[str]] = [
        "*.task.yaml",
        "*.library.yaml",
        "*.world.yaml",
        "*.suite.yaml",
        "*.tasks.yaml",
    ]
    mimetypes: ClassVar[list[str]] = []
    priority = 0.2

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Yield the tokens of a text, each with its offset."""
        block: int | None = None  # indentation of the key of the block scalar that contains the line
        is_prose = False
        for line in LINE.finditer(text):
            if not line[0]:
                continue
            indent = len(line["blank"])
            if block is not None and line["rest"] and indent <= block:
                block = None
            yield line.start(), Text.Whitespace, line["blank"]
            if block is not None:
                yield from _value_tokens(line["dashes"] + line["rest"], line.start("dashes"), is_prose=is_prose)
            else:
                yield line.start("dashes"), Punctuation.Indicator, line["dashes"]
                key, header = yield from _entry_tokens(line["rest"], line.start("rest"))
                if header:
                    block, is_prose = indent + len(line["dashes"]), key in PROSE_KEYS
            yield line.start("end"), Text.Whitespace, line["end"]

    @staticmethod
    def analyse_text(text: str) -> float:
        """Return the likelihood, from 0 to 1, that a text is a planspec document."""
        return 0.9 if text.lstrip().startswith("planspec:") else 0.0


def _entry_tokens(text: str, start: int) -> Generator[tuple[int, Any, str], None, tuple[str, bool]]:
    """Yield the tokens of a line after its indentation.

    Returns:
        The last key on the line, and whether a block scalar begins after it.
    """
    comment = COMMENT.search(text)
    end = len(text) if comment is None else comment.start()
    at, key = 0, ""
    while at < end:
        match = KEY.match(text, at, end)
        if match is not None and (at == 0 or match["before"][:1] in ("{", ",")):
            key = match["key"].strip('"')
            yield start + at, Punctuation, match["before"]
            yield start + match.start("key"), Name.Tag, match["key"]
            yield start + match.start("colon"), Punctuation, ":"
            at = match.end()
            continue
        following = KEY.search(text, at + 1, end)
        while following is not None and following["before"][:1] not in ("{", ","):
            following = KEY.search(text, following.end(), end)
        to = end if following is None else following.start()
        yield from _value_tokens(text[at:to], start + at, is_prose=key in PROSE_KEYS)
        at = to
    if comment is not None:
        yield start + end, Comment.Single, text[end:]
    return key, HEADER.fullmatch(text[text.rfind(":") + 1 : end].rstrip() or "-") is not None


def _value_tokens(text: str, start: int, *, is_prose: bool) -> Iterator[tuple[int, Any, str]]:
    if is_prose:
        yield start, String, text
        return
    at = 0
    for lexeme in lexemes(text):
        yield start + at, Text, text[at : lexeme.start]
        token = TOKENS[lexeme.kind]
        if lexeme.kind == "name" and lexeme.text in BUILTINS and text[lexeme.end : lexeme.end + 1] == "(":
            token = Name.Builtin
        elif lexeme.kind == "name" and lexeme.text in SCALARS:
            token = Keyword.Type
        yield start + lexeme.start, token, lexeme.text
        at = lexeme.end
    yield start + at, Text, text[at:]
