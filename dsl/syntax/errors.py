"""Explanations of syntax errors, with help for newcomers."""

from __future__ import annotations

import re
from fractions import Fraction

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.dsl.yaml.exotic_blanks import BLANK, WAY_OUT, blank_name

NOUNS = {
    "expression": "expression",
    "domain": "domain",
    "column": "type",
    "type": "type",
    "signature": "signature",
    "binder": "`for:`",
}
EXPECTED = {
    "NAME": "a name",
    "QMARK": "`?`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "DOT": "`.`",
    "DOTDOT": "`..`",
    "EQUALS": "`=`",
    "TEXT": "a text",
    "$END": "the end",
}
OPERANDS = {
    "DATE",
    "TIME",
    "DURATION",
    "MONEY",
    "DISTANCE",
    "DECIMAL",
    "INT",
    "TRUE",
    "FALSE",
    "NONE",
    "TEXT",
    "LBRACE",
    "LPAR",
    "MINUS",
    "NOT",
    "NAME",
}
OPERATORS = {
    "EQ",
    "NE",
    "LE",
    "GE",
    "LT",
    "GT",
    "PLUS",
    "TIMES",
    "FLOORDIV",
    "PERCENT",
    "COALESCE",
    "AND",
    "OR",
    "IMPLIES",
    "IN",
    "IS",
    "MINUS",
    "NOT",
    "IF",
}

FOREIGN = (
    (r"&&?", "write `and`"),
    (r"\|\|?", "write `or`"),
    (r"===", "write `==`"),
    (r"<>|!(?!=)(?=\s*=)|/=", "write `!=`"),
    (r"=<|≤", "write `<=`"),
    (r"≥", "write `>=`"),
    (r"=>|->|→", "write `>=`, or `implies`"),
    (r"!|~|¬", "write `not`"),
    (r"≠", "write `!=`"),
    (r"\*\*|\^", "there are no powers: multiply"),
    (r"(?:[-+*%]|//|:)=", "there is no assignment: name a value in `define:`"),
    (r"/", "write `//`, which rounds down"),
    (r"[×·]", "write `*`"),
    (r"[−–—]", "write `-`"),
    (r"[€$£¥]", "money is written `12.50 EUR`"),
    (r"…", "a range is written `a..b`"),
    (r"∈", "write `in`"),
    (r"[“”„‘’]", "write straight quotes: `\"` or `'`"),
)
"""Spellings of other languages: pairs of a pattern and help. A match begins at most two characters before
the error."""
CHARACTERS = {
    ";": "an expression ends with its value; write each rule as an entry of its own",
    ":": "a time is `14:30`; nothing else has a colon",
    "#": "a comment ends the expression; a text with `#` stands in quotes inside a block scalar",
    '"': "the text is not closed on this line",
    "'": "the text is not closed on this line",
}
SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}
AMOUNT = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?")
UNIT_WORDS = {
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), "h"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("day", "days"), "d"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers"), "km"),
}
GENERATOR_CUT = re.compile(r"\b(any|all|count)\(\s*(\w+) in (\w+) if ([^()]+(?:\([^()]*\))?[^()]*)\Z")
"""Pattern of a generator without `for`, as in `any(v in visits if CONDITION`."""
OPERATOR_WORDS = ("and", "or", "not", "in", "is", "implies", "if", "else", "for")
UNITS = "units are min, h, d, m, km and a currency, as in 90min, 1h30min, 850m, 12.50 EUR"
PERCENT = re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s?%(?=\s*(?:of\s*)?\Z)")
"""Pattern of a percentage at the end of the text that has been parsed so far."""
LITERAL = re.compile(r"\d(?:[\w:]|\.(?=\w))*")


def explain(error: UnexpectedInput, kind: str, span: Span, report: Report, hint: str | None) -> None:
    """Report a syntax error.

    Args:
        error: the parser's error.
        kind: start symbol of the grammar.
        span: the whole parsed text.
        report: receives the diagnostic.
        hint: specific help that replaces the general one.
    """
    _SyntaxExplanation(kind, span, report, hint).report_error(error)


class _SyntaxExplanation:
    def __init__(self, kind: str, span: Span, report: Report, hint: str | None) -> None:
        self.kind = kind
        self.source = span.source
        self.text = span.source.text
        self.span = span
        self.report = report
        self.hint = hint

    def report_error(self, error: UnexpectedInput) -> None:
        match error:
            case UnexpectedCharacters(pos_in_stream=int(at)):
                self._report_character(at)
            case UnexpectedToken(token=Token(type=type_) as token) if type_ != "$END":
                self._report_token(token, set(error.accepts or error.expected or ()))
            case UnexpectedToken():
                self._report_end(set(error.accepts or error.expected or ()))
            case _:
                self._report_end(set(getattr(error, "expected", None) or ()))

    def _report(self, code: str, message: str, start: int, end: int, label: str, help_text: str | None) -> None:
        self.report.error(code, message, Span(self.source, start, end), label, help=self.hint or help_text)

    def _report_character(self, at: int) -> None:
        char = self.text[at]
        if char.isdigit() or (char == ":" and at > self.span.start and self.text[at - 1].isdigit()):
            return self._report_literal(at)
        if BLANK.match(char):
            message = f"{blank_name(char)} is no space"
            return self._report("PS101", message, at, at + 1, "looks like a space", WAY_OUT)
        foreign = self._foreign_spelling(at)
        if foreign is not None:
            start, end, help_text = foreign
            word = self.text[start:end]
            return self._report("PS108", f"`{word}` is not part of the language", start, end, "unknown here", help_text)
        shown = f"`{char}`" if char.isprintable() and char != "`" else f"U+{ord(char):04X}"
        if char in "\"'":
            return self._report("PS101", "a text is not closed", at, at + 1, "begins here", CHARACTERS[char])
        return self._report(
            "PS101",
            f"unexpected character {shown}",
            at,
            at + 1,
            "no part of an expression begins with it",
            CHARACTERS.get(char),
        )

    def _report_literal(self, at: int) -> None:
        if self.text[at] == ".":
            end = LITERAL.match(self.text, at + 1).end()  # type: ignore[union-attr]  # a digit follows it
            return self._report(
                "PS105",
                f"`{self.text[at:end]}` is not a valid literal",
                at,
                end,
                "not a valid number",
                "write `0.5`",
            )
        start = at
        while start > self.span.start and (self.text[start - 1].isalnum() or self.text[start - 1] in ".:_"):
            start -= 1
        match_ = LITERAL.match(self.text, start) or LITERAL.match(self.text, at)
        end = min(match_.end(), self.span.end) if match_ else at + 1
        start = match_.start() if match_ else at
        if self.text[start - 1 : start] == "[" and ":" in self.text[start:end]:
            return self._report(
                "PS108",
                "there are no slices",
                start,
                end,
                "unknown here",
                "filter instead: `... for x in xs if ...`",
            )
        help_text = "a time has two digits for the minutes: `09:05`" if ":" in self.text[start:end] else UNITS
        if re.fullmatch(r"\d+\.\d+(h|d|min)\w*", self.text[start:end]):
            help_text = _whole_minutes_help(self.text[start:end])
        return self._report(
            "PS105",
            f"`{self.text[start:end]}` is not a valid literal",
            start,
            end,
            "not a valid number or unit",
            help_text,
        )

    def _foreign_spelling(self, at: int) -> tuple[int, int, str] | None:
        """Return start, end and help of the longest spelling from another language, such as `&&`, at an offset.

        Return None if there is none.
        """
        best: tuple[int, int, str] | None = None
        for back in (2, 1, 0):
            for pattern, help_text in FOREIGN:
                match_ = re.compile(pattern).match(self.text, max(self.span.start, at - back), self.span.end)
                if match_ and match_.end() > at and (best is None or match_.end() - match_.start() > best[1] - best[0]):
                    best = (match_.start(), match_.end(), self._money_help(match_.start(), help_text))
        return best

    def _money_help(self, at: int, help_text: str) -> str:
        """Return help for a currency sign with its number: `€30` is `30 EUR`."""
        currency = SIGNS.get(self.text[at])
        if currency is None:
            return help_text
        behind = AMOUNT.match(self.text, at + 1)
        before = re.search(r"[0-9]+(?:\.[0-9]+)?\s*\Z", self.text[self.span.start : at])
        amount = behind or before
        return f"write `{amount[0].strip()} {currency}`" if amount else help_text

    def _report_token(self, token: Token, expected: set[str]) -> None:
        assert token.start_pos is not None and token.end_pos is not None
        start, end = token.start_pos, token.end_pos
        before = self.text[max(self.span.start, start - 1) : start]
        word = str(token)
        if (before == "." and word[0].isdigit()) or (word == "." and self.text[end : end + 1].isdigit()):
            return self._report_literal(start)
        if self._report_percentage(start):
            return None
        foreign = self._foreign_spelling(start)
        if foreign is not None:
            first, last, help_text = foreign
            shown = self.text[first:last]
            return self._report(
                "PS108", f"`{shown}` is not part of the language", first, last, "unknown here", help_text
            )
        if token.type == "EQUALS" and self.kind in ("expression", "domain", "binder"):
            return self._report(
                "PS103",
                "`=` is not a comparison",
                start,
                end,
                "did you mean `==`?",
                "equality is written `==`",
            )
        return self._report(
            "PS102",
            f"unexpected `{word}`",
            start,
            end,
            f"expected {_expected_text(expected)}",
            self._help(token, expected),
        )

    def _report_percentage(self, at: int) -> bool:
        """Report a percentage that ends at an offset. Return whether there is one."""
        match_ = PERCENT.search(self.text[self.span.start : at])
        if match_ is None:
            return False
        start, end = self.span.start + match_.start(), self.span.start + match_.end()
        help_text = "a part of something is a product with a decimal: `0.9 * x`; `%` is the remainder of a division"
        self._report("PS108", f"`{match_[0]}` is not part of the language", start, end, "no percentage", help_text)
        return True

    def _report_end(self, expected: set[str]) -> None:
        if self._report_percentage(self.span.end):
            return
        noun = NOUNS[self.kind]
        what = f"the {noun} is incomplete" if self.span.text else f"the {noun} is empty"
        help_text = None
        if expected & {"ELSE"} and "IF" not in expected:
            help_text = "a conditional has an `else`; a rule that holds only sometimes is written `a implies b`"
        self._report(
            "PS102",
            what,
            self.span.end,
            self.span.end,
            f"expected {_expected_text(expected)} here",
            help_text,
        )

    def _help(self, token: Token, expected: set[str]) -> str | None:
        word, last = str(token), token.start_pos or 0
        before = self.text[self.span.start : last].rstrip()
        if self.kind == "binder" and word == "for" and not before:
            return "the key says `for` already: `for: w in Wish`"
        if before.endswith("lambda"):
            return "there are no functions but those of `define:`"
        if self.kind in ("column", "type"):
            fits = {
                "=": "a default follows one `=`: `int = 1`",
                "key": "`key` comes first: `key date`",
                "or": "a type that may be none ends in `?`: `date?`",
            }
            return fits.get(word)
        if expected == {"EQUALS"} or (word == "for" and "RPAR" in expected):
            return "a generator is the only argument, or the first before `by=` and `per=`"
        if before.endswith((" is", " is not")) and word.lower() in ("none", "null"):
            return "none is written `none`"
        if before.endswith((" is", " is not")):
            return "`is` asks for `none` or `unknown`; equality is written `==`"
        for operator in (word, before.rsplit(None, 1)[-1] if before else ""):
            if operator.lower() in OPERATOR_WORDS and not operator.islower():
                return f"operators are lower case: `{operator.lower()}`"
        if re.search(r"(?<![\w:.-])\d+(\.\d+)?$", before) and word in ("min", "h", "d", "m", "km"):
            return f"no space before a unit: `{re.split(r'[^0-9.]', before)[-1]}{word}`"
        if word == "," and re.search(r"(?<![\w:.-])\d+$", before) and self.text[token.end_pos or 0 :][:1].isdigit():
            return "a decimal has a point: `1.5`; a set is written `{a, b}`"
        help_text = _unit_or_generator_help(word, before)
        if help_text is not None:
            return help_text
        if re.search(r"(?<![\w:.-])\d+(\.\d+)?$", before) and re.fullmatch(r"[A-Za-z]+", word):
            return "a currency is three capital letters: `12.50 EUR`" if len(word) in (3, 4) else UNITS
        if word == "," and re.search(r"\ball_different\(\s*\([^()]*$", before):
            return "there are no tuples: count the rows that agree in every part, `count(... if w.a == v.a and w.b == v.b) == 1`"
        helps = {
            "step": "`step` follows a range: `08:00..22:00 step 5min`",
            "for": "a generator stands in parentheses or in a call: `count(v for v in visits)`",
            "?": "a choice is written `x if condition else y`; a value that may be none gets a default with `??`",
            "if": "a choice is written `x if condition else y`",
            "then": "a choice is written `x if condition else y`",
            "[": "a set is written `{a, b}`; only tables are indexed",
            "(": "only names are called: `f(x)`, not `x.f()`",
            ",": "a set is written `{a, b}`",
            "..": "a range stands right of `in`, in a `for`, in a domain, or in parentheses",
        }
        return helps.get(word)


def _unit_or_generator_help(word: str, before: str) -> str | None:
    """Return help for a text such as `1 hour` or `any(v in visits if ...`; None for other texts."""
    if (unit := UNIT_WORDS.get(word.lower())) and re.search(r"(?<![\w:.-])\d+$", before):
        return f"write `{re.split(r'[^0-9]', before)[-1]}{unit}`"
    if (cut := GENERATOR_CUT.search(before)) is not None and word == ")":
        call, name, source, condition = cut.groups()
        if call in ("any", "all"):
            return f"write `{call}({condition.strip()} for {name} in {source})`"
        return f"write `{call}({name} for {name} in {source} if {condition.strip()})`"
    return None


def _whole_minutes_help(text: str) -> str:
    """Return help for a fractional duration: `30min` for `0.5h`."""
    match_ = re.fullmatch(r"([0-9]+\.[0-9]+)(h|d|min)", text)
    minutes = match_ and Fraction(match_[1]) * {"h": 60, "d": MINUTES_A_DAY, "min": 1}[match_[2]]
    if minutes is None or minutes.denominator > 1:
        return "a duration is whole minutes: write `90min` or `1h30min`"
    return f"a duration is whole minutes: write `{minutes}min`"


def _expected_text(terminals: set[str]) -> str:
    names: list[str] = []
    if terminals >= {"NAME", "INT"}:
        names.append("a value")
        terminals = terminals - OPERANDS
    elif len(terminals & OPERATORS) > 4:
        names.append("an operator")
        terminals = terminals - OPERATORS - {"LSQB", "LPAR", "DOT"}
    names.extend(sorted(EXPECTED.get(t, f"`{t.lower()}`") for t in terminals))
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1] if names else "something else"
