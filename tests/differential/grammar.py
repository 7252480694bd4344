"""A grammar of random expressions, as templates by kind of expression.

In a template, `<int>` is replaced by an expression of the kind `int` with less depth, and `<int.>` by one of depth 0.
`@picks` is replaced by a variable over picks that is in scope, `$picks` by the variable over picks that the template
binds, and `$picks2` by a second one. The body of a generator can use all variables that the template binds; a filter,
the variables that are bound before the filter; the collection of a `for`, the variables that are bound before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tests.scalar_builtins import SCALAR_BUILTINS

Choose: TypeAlias = Callable[[Sequence[str]], str]
"""A function that chooses one of several texts at random."""
Names: TypeAlias = Mapping[str, Sequence[str]]
"""Names of the variables in scope, by the kind of their values."""

SHALLOW: dict[str, list[str]] = {
    "picks": ["@picks", "@picks", "picks[1]", "picks[2]"],
    "moves": ["@moves", "@moves", "the(m0 for m0 in moves)"],
    "item": [
        "picks[1].item",
        "picks[2].item",
        "picks[2].other",
        "@Item",
        "@Item",
        "@picks.item",
        "Item.a",
        "Item.b",
        'Item["zz"]',
    ],
    "fact": ["@Fact", "Fact[<item.>, <int.>]", "Fact[<item.>]"],
    "int": [
        "picks[1].n",
        "picks[2].n",
        "@int",
        "@picks.n",
        "@picks.slot",
        "@Item.size",
        "0",
        "1",
        "2",
        "-1",
        "limit",
        "longest",
        "note.level",
    ],
    "colour": ["picks[1].hue", "picks[2].hue", "@colour", "@picks.hue", "@Item.colour", "Colour.red", "Colour.green"],
    "time": [
        "picks[2].start",
        "@picks.start",
        "@Item.at",
        "noon",
        "09:00",
        "25:30",
        "early",
        "note.until",
        "picks[1].start",
        "Item.b.rest",
    ],
    "duration": ["30min", "2h", "0min", "(<time.> - <time.>)", "worth(Item.a, <int.>)", "none_long"],
    "money": ["cap", "1.50 EUR", "<item.>.price"],
    "distance": ["the(m0 for m0 in moves).far", "1km", "0m", "away", "@moves.far"],
    "date": ["picks[1].day", "picks[2].day", "@picks.day", "2026-07-01", "min(d0 for d0 in days)"],
    "moment": [
        "the(m0 for m0 in moves).at",
        "@moves.at",
        "@Fact.from",
        "(2026-07-01 + <time.>)",
        "(<date.> + <time.>)",
    ],
    "decimal": ["picks[1].part", "picks[2].part", "@picks.part", "@Item.weight", "0.5", "half", "-1.5"],
    "text": ["picks[2].item.label", "@Item.label", '"old"', '""', '"a mill"'],
    "bool": [
        "<int.> <cmp> <int.>",
        "<time.> <cmp> <time.>",
        "<duration.> <cmp> <duration.>",
        "<money.> <cmp> <money.>",
        "<moment.> <cmp> <moment.>",
        "<decimal.> <cmp> <int.>",
        "<date.> <cmp> <date.>",
        "<distance.> <cmp> <distance.>",
        "<colour.> <eq> <colour.>",
        "<item.> <eq> <item.>",
        "@picks.item.heavy",
        "@picks.done",
        "note.flag",
        "keen",
    ],
    "colours": ["liked", "hues", "<item.>.tags", "@picks.marks", "{<colour.>}", "shades(<item.>)", "tagged(<item.>)"],
    "ints": ["counts", "{0, 2}", "@Item.lucky", "{<int.>}"],
    "items": ["{<item.>}", "(i0 for i0 in Item)"],
    "dates": ["days", "{<date.>}"],
    "cmp": ["==", "!=", "<", "<=", ">", ">="],
    "eq": ["==", "!="],
    "in": ["in", "not in"],
    "is": ["is none", "is not none"],
    "some": ["all", "any"],
    "end": ["first", "last"],
    "step": ["", " step 2", " step limit", " step zero", " step back", " step @Item.size"],
}
"""Templates for expressions of depth 0, by kind of expression. Their placeholders also have depth 0."""

DEEP: dict[str, list[str]] = {
    "picks": [
        "<end>($picks for $picks in picks<if>, by=$picks.start)",
        "<end>($picks for $picks in picks, by=<int>)",
        "the($picks for $picks in picks if <bool>)",
        "picks[<int>]",
    ],
    "moves": ["the($moves for $moves in moves if <bool>)", "<end>($moves for $moves in moves<if>, by=$moves.at)"],
    "item": [
        "<picks>.item",
        "<picks>.other",
        "(<picks>.other ?? Item.a)",
        "<moves>.from",
        "partner(<item>)",
        "<item>.mate",
        "some_item(<item>)",
        "the($Item for $Item in Item if <bool>)",
        "(<item> if <bool> else <item>)",
        "<end>($Spare.item for $Spare in Spare, by=$Spare.far)",
        "<end>($picks.item for $picks in picks<if>, by=$picks.other.size)",
    ],
    "fact": ["Fact[<item>, <int>]", "Fact[<item>, <int>]", "the($Fact for $Fact in Fact if <bool>)", "Fact[<item>]"],
    "int": [
        "(<int> + <int>)",
        "(<int> - <int>)",
        "(<int> * <int>)",
        "-(<int>)",
        "min(<int>, <int>)",
        "max(<int>, <int>, <int>)",
        "(<int> // <divisor>)",
        "(<int> % <divisor>)",
        "(<int> if <bool> else <int>)",
        "(<int> ?? <int>)",
        "<picks>.n",
        "<item>.size",
        "<fact>.n",
        "(Fact[<item>, <int>].n - Fact[<item>, <int>].n)",
        "(<date> - <date>)",
        "(<duration> // 20min)",
        "<fold>(<int> for $picks in picks<if>)",
        "<fold>(<int> for $Fact in Fact if $Fact.item == <item>)",
        "<fold>(<int> for $int in <own_ints>)",
        "count($picks for $picks in picks<if>)",
        "count($picks for $picks in picks<if> for $Item in Item<if>)",
        "count($colour for $colour in <own_colours>)",
        "count($picks for $picks, $picks2 in steps(s0 for s0 in picks, by=s0.<by><per>))",
        "<fold>(<int> for $moves in moves<if>)",
        "peak(<int> for s0 in picks<only>, from=<from_to><per>)",
        "peak(<int> for $picks in picks<if>, from=$picks.n, to=<int>)",
    ],
    "colour": [
        "<item>.colour",
        "<picks>.hue",
        "<fact>.tone",
        "(<colour> ?? Colour.blue)",
        "the($colour for $colour in <own_colours> if <bool>)",
        "(<colour> if <bool> else <colour>)",
    ],
    "time": [
        "(<time> + <duration>)",
        "(<time> - <duration>)",
        "shift(<time>, <duration>)",
        "<item>.at",
        "<item>.rest",
        "max(<time> for $picks in picks<if>)",
        "min(<time>, <time>)",
        "(<time> ?? <time>)",
    ],
    "duration": [
        "(<time> - <time>)",
        "<fact>.worth",
        "worth(<item>, <int>)",
        "(<int> * <duration>)",
        "(<moment> - <moment>)",
        "(<duration> // <divisor>)",
        "sum(<duration> for $picks in picks<if>)",
        "(<duration> ?? 5min)",
    ],
    "money": [
        "(<money> + <money>)",
        "(<int> * <money>)",
        "<item>.price",
        "<fold>(<money> for $picks in picks<if>)",
        "(<money> ?? 0 EUR)",
    ],
    "distance": [
        "(<distance> + <distance>)",
        "(<int> * <distance>)",
        "<moves>.far",
        "<fold>(<distance> for $moves in moves<if>)",
        "sum($Spare.far for $Spare in Spare if $Spare.item == <item>)",
    ],
    "date": [
        "(<date> + <int>)",
        "<picks>.day",
        "<end>($picks.day for $picks in picks<if>, by=$picks.n)",
        "max(<date> for $picks in picks<if>)",
    ],
    "moment": [
        "(<moment> + <duration>)",
        "<moves>.at",
        "<fact>.from",
        "(<date> + <time>)",
        "(<moment> ?? (2026-07-02 + 00:00))",
    ],
    "decimal": [
        "(<decimal> + <decimal>)",
        "(<int> * <decimal>)",
        "<item>.weight",
        "-(<decimal>)",
        "<fold>(<decimal> for $picks in picks<if>)",
        "(<decimal> ?? half)",
    ],
    "text": ["<item>.label", '(<text> ?? "nothing")', "(<text> if <bool> else <text>)"],
    "bool": ["<compared>", "<gathered>", "<sought>", "<joined>", "<called>", "<quantified>", "<neighbouring>"],
    "colours": [
        "(<colour> for $picks in picks<if>)",
        "(<colour> for $picks in picks<if>)",
        "{<colour>, <colour>}",
        "<item>.tags",
        "<picks>.marks",
        "shades(<item>)",
        "tagged(<item>)",
        "<end>($picks.marks for $picks in picks<if>, by=$picks.n)",
        "(<colours> if <bool> else <colours>)",
        "(<colours> ?? liked)",
        "($colour for $colour in <item>.tags<if>)",
        "(c0 for c0 in Colour)",
    ],
    "ints": [
        "(<int> for $picks in picks<if>)",
        "(<int> for $picks in picks)",
        "{<int>, <int>}",
        "counts",
        "($int for $int in 0..2<stride>)",
        "<item>.lucky",
    ],
    "items": [
        "{<item>, <item>}",
        "(<item> for $picks in picks<if>)",
        "($Item for $Item in Item<if>)",
        "Item",
        "(<item> for $Spare in Spare)",
    ],
    "dates": ["days", "(<date> for $picks in picks<if>)", "{<date>, <date>}", "(<date> for $picks in picks)"],
}
"""Further templates for expressions of greater depth."""

PARTS: dict[str, list[str]] = {
    "compared": [
        "<int> <cmp> <int>",
        "<time> <cmp> <time>",
        "<duration> <cmp> <duration>",
        "<money> <cmp> <money>",
        "<decimal> <cmp> <decimal>",
        "<moment> <cmp> <moment>",
        "<date> <cmp> <date>",
        "<distance> <cmp> <distance>",
        "1.5 * <money> <= <money>",
        "<decimal> * <duration> <cmp> <duration>",
        "<colour> <eq> <colour>",
        "<item> <eq> <item>",
        "<picks> <eq> <picks>",
        "<text> <eq> <text>",
        "<time.> <= <time> < <time.>",
        "<int> < <int> != <int> <= <int>",
        "(<bool>) <eq> (<bool>)",
        "<picks>.done <eq> <picks>.item.heavy",
        "<item>.heavy <eq> note.flag",
        "Fact[<item>, <picks>.n].worth <cmp> Fact[<item>, <int>].worth",
    ],
    "gathered": [
        "<colours> <eq> <colours>",
        "<colours> <eq> {<colour>}",
        "<colours> <eq> {}",
        "<ints> <eq> <ints>",
        "(<int> for $picks in picks) <eq> counts",
        "<items> <eq> <items>",
        "{<item>, <item>} <eq> {<item>, <item>}",
        "<dates> <eq> <dates>",
        "($picks.day for $picks in picks<if>) <eq> days",
        "<ints> <eq> counts",
        "turned <eq> (wanted if <bool> else turned)",
        "(wanted if <bool> else <ints>) <eq> <ints>",
        "<picks>.marks <eq> <item>.tags",
        "<chosen>.item.tags <eq> <colours>",
    ],
    "sought": [
        "<colour> <in> <colours>",
        "<colour> <in> shades(<item>)",
        "<colour> <in> shades(<picks>.other)",
        "<colour> <in> shades(<picks>.item.mate)",
        "<int> <in> <ints>",
        "<item> <in> <items>",
        "<date> <in> <dates>",
        "<int> <in> <int>..<int><step>",
        "<int> <in> 0..<int><step>",
        "<time> <in> <time.>..<time><pace>",
        "<date> <in> 2026-06-30..<date>",
        "<decimal> <in> 0.5..<decimal>",
    ],
    "joined": [
        "(<bool> and <bool>)",
        "(<bool> or <bool>)",
        "(not (<bool>))",
        "(not (<bool>))",
        "(<bool> implies <bool>)",
        "(<bool> if <bool> else <bool>)",
        "(<bool> and <bool> and <bool>)",
        "(<item>) <is>",
        "(<picks>) <is>",
        "(<colour>) <is>",
        "(<int>) <is>",
        "(<time>) <is>",
        "(<fact>) <is>",
        "picks[<int>].n <cmp> picks[<int>].n",
        "(<moment>) <is>",
        "<picks>.item is unknown",
        "<picks>.other is not unknown",
        "<moves>.from is unknown",
    ],
    "called": [
        "late(<picks>)",
        "after(<time>)",
        "after(<time> + <duration>)",
        "before(<time>)",
        "before(<time> + <duration>)",
        "before(<picks>.start + none_long)",
        'alike(<picks>.n + Item["zz"].size, none)',
        "kin(<item>, <item>)",
        "known(<item>)",
        "cheap(<money> + <money>)",
        "alike(<int>, <item>)",
        "alike(<fact>.n, <item>)",
        "second(<time> + <duration>, <int>) <cmp> <int>",
        "second(<time>, <int>) <is>",
    ],
    "quantified": [
        "<some>(<bool> for $picks in picks<if>)",
        "<some>(<bool> for $Item in Item<if>)",
        "<some>(<bool> for $int in 0..2<stride>)",
        "<some>(<bool> for $int in -2..2<stride>)",
        "count($int for $int in 0..2<stride>) <cmp> <int>",
        "<some>(<bool> for $moves in moves<if>)",
        "<some>(<bool> for $picks in picks<if> for $Item in Item<if>)",
        "<some>(<bool> for $picks in picks<if> for $picks2 in picks<if>)",
        "<some>(<bool> for $picks in picks for $Fact in Fact if $Fact.item == <item> and <bool>)",
        "<some>(<bool> for $colour in <item>.tags<if>)",
        "<some>(<bool> for $colour in <picks>.marks<if>)",
        "<some>(<bool> for $colour in tagged(<item>)<if>)",
        "<some>(<bool> for $colour in <chosen>.item.tags<if>)",
        "all_different(<int> for $picks in picks<if>)",
        "all_different($picks.<open> for $picks in picks<if>)",
        "all_different(<time> for $picks in picks<if>)",
        "all_different(<item> for $picks in picks<if>)",
    ],
    "chosen": ["<end>($picks for $picks in picks<if>, by=$picks.<by>)", "the($picks for $picks in picks if <bool>)"],
    "neighbouring": [
        "<some>(<bool> for $picks, $picks2 in steps(s0 for s0 in picks<only>, by=s0.<by><per>))",
        "<some>(<bool> for $int, $int2 in steps(k0 for k0 in counts))",
        "<some>($picks2.start - $picks.start <cmp> <duration> for $picks, $picks2 in steps(s0 for s0 in picks<only>, by=s0.<by><per>))",
        "no_overlap(s0 for s0 in picks<only>, from=<apart><per>)",
        "no_overlap($picks for $picks in picks<if>, from=$picks.<by>, to=$picks.<by>)",
        "<some>($picks.item <eq> $picks2.item for $picks, $picks2 in steps(s0 for s0 in picks<only>, by=s0.<by><per>) if <bool>)",
    ],
    "own_ints": ["counts", "{0, 2}", "<item>.lucky"],
    "own_colours": ["liked", "<item>.tags", "<picks>.marks", "tagged(<item>)"],
    "if": ["", "", " if <bool>"],
    "stride": ["", " step limit", " step zero", " step back"],
    "divisor": ["2", "3", "limit", "zero", "back", "<int.>"],
    "fold": ["sum", "sum", "min", "max"],
    "from_to": [
        "s0.n, to=s0.n + 2",
        "s0.n, to=s0.other.size",
        "s0.n, to=s0.item.size",
        "s0.start, to=s0.start + 1h",
        "s0.other.size, to=s0.other.size + s0.n",
    ],
    "apart": [
        "<from_to>",
        "s0.n, to=s0.n + 1, gap=s0.item.size",
        "s0.start, to=s0.start, gap=30min",
        "s0.n, to=s0.item.size, gap=s0.other.size",
    ],
    "by": ["start", "n", "other.size", "day"],
    "per": ["", "", ", per=s0.item", ", per=s0.hue", ", per=s0.marks"],
    "only": ["", "", " if s0.n > 0", " if s0.hue is not none"],
    "open": ["item", "n", "hue", "start", "marks", "part", "done"],
    "pace": ["", " step 30min", " step still", " step @Fact.worth"],
}
"""Templates for parts of expressions, used at any depth."""

for _row in SCALAR_BUILTINS.values():
    for _kind, _templates in _row.templates.items():
        (PARTS if _kind in PARTS else DEEP)[_kind] += _templates

PIECE = re.compile(r"<(\w+)(\.?)>|([$@])([A-Za-z]+)(2?)")
BOUND = re.compile(r"for \$(\w+)(?:, \$(\w+))? in ")


@dataclass(slots=True)
class ExpressionWriter:
    """Draws random expressions. It counts variables, so that no two have the same name."""

    choose: Choose
    variables: int = 0

    def expression(self, kind: str, depth: int, names: Names | None = None) -> str:
        """Return a random expression of a kind, of limited depth, over the variables in scope."""
        reach = names or {}
        options = PARTS.get(kind) or SHALLOW.get(kind, [])
        if depth > 0 and kind in DEEP:
            options = [*DEEP[kind], *DEEP[kind], *options] if kind != "bool" else DEEP[kind]
        possible = [each for each in options if all(reach.get(name) for name in re.findall(r"@(\w+)", each))]
        return self._fill(self.choose(possible), depth if kind == "bool" else depth - 1, reach)

    def _fill(self, template: str, depth: int, reach: Names) -> str:
        """Return a template with its placeholders replaced by expressions of at most the given depth."""
        binders = [(each.end(), [name for name in each.groups() if name]) for each in BOUND.finditer(template)]
        own_names: dict[str, str] = {}
        for _, bound in binders:
            for name in bound:
                self.variables += 1
                own_names[name] = f"{name.lower()}{self.variables}"

        def names_in_scope(position: int) -> Names:
            body = not binders or position < binders[0][0]
            in_reach = {kind: list(those) for kind, those in reach.items()}
            for end, bound in binders:
                if body or end < position:
                    for name in bound:
                        in_reach.setdefault(name.rstrip("2"), []).append(own_names[name])
            return in_reach

        def fill(piece: re.Match[str]) -> str:
            kind, shallow, sign, name, second = piece.groups()
            if sign == "$":
                return own_names[name + second]
            if sign == "@":
                return self.choose(reach[name])
            return self.expression(kind, 0 if shallow else depth, names_in_scope(piece.start()))

        return PIECE.sub(fill, template)
