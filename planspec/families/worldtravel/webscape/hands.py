"""How a site writes its markup: the elements, classes and wrappers that stand where templates have plain ones.

Templates are written once, in plain elements. A page comes from them by a hand: its site's vocabulary of classes and its components
for what is told (a time, an amount, a name), and a build, for sites are rebuilt piece by piece and have pages of several ages:
lists that are lists or boxes, tables that are tables or boxes, more or fewer wrappers, elements of the site's own. The style is
rewritten with it, so that a page keeps its look whatever it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import get_args
from zlib import crc32

from planspec.families.worldtravel.webscape.forms import Form
from planspec.families.worldtravel.webscape.sites import SITES, Site

_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)([^<>]*)>")
_CLASS = re.compile(r' class="([^"]*)"')
_RULE = re.compile(r"([^{}]+)\{")
_SELECTOR = re.compile(
    r"(?P<pseudo>::?[\w-]+(?:\((?:[^()]|\([^()]*\))*\))?)|\.(?P<token>[\w-]+)|(?P<type>[a-z][a-z0-9-]*)"
    r"|(?P<joint>\s*[>+~]\s*|\s+)|(?P<other>\[[^\]]*\]|.)",
    re.DOTALL,
)
TOLD = tuple(f"f-{form}" for form in get_args(Form))
"""The elements of templates for what is told, by its form; as a selector, `span` means them, too."""
_BLOCK = "display:block"
_BROWSERS: Mapping[str, str] = {
    **dict.fromkeys(("div", "section", "article", "header", "footer", "aside", "hgroup", "dt"), _BLOCK),
    "p": f"{_BLOCK};margin:1em 0", "figure": f"{_BLOCK};margin:1em 40px", "dl": f"{_BLOCK};margin:1em 0",
    "dd": f"{_BLOCK};margin-left:40px", "ul": f"{_BLOCK};margin:1em 0;padding-left:40px;list-style:disc",
    "ol": f"{_BLOCK};margin:1em 0;padding-left:40px;list-style:decimal;counter-reset:list-item", "li": "display:list-item",
    "table": "display:table;border-spacing:2px", "thead": "display:table-header-group;vertical-align:middle",
    "tbody": "display:table-row-group;vertical-align:middle", "tr": "display:table-row;vertical-align:inherit",
    "td": "display:table-cell;padding:1px;vertical-align:inherit",
    "th": "display:table-cell;padding:1px;vertical-align:inherit;font-weight:700;text-align:center",
    "b": "font-weight:bolder", "strong": "font-weight:bolder", "i": "font-style:italic", "em": "font-style:italic",
    "caption": "display:table-caption;text-align:center", "small": "font-size:smaller",
}  # fmt: skip
"""What browsers do by themselves with elements that others stand for."""
_TAKEN = {"samp": "font:inherit", "var": "font-style:inherit", "i": "font-style:normal"}
"""What is taken from elements that browsers would style."""


@dataclass(frozen=True, slots=True)
class Component:
    """What stands where a template has an element.

    Attributes:
        name: of its element.
        token: its class; empty where it needs none.
        role: what it is to assistive technology; empty where the element says so.
        within: further elements around all that is in it, from the outside.
    """

    name: str
    token: str
    role: str
    within: tuple[str, ...]


class Hand:
    """A way to write markup.

    Args:
        parts: what stands for an element: another one with a class, and those within it, such as `div.item@listitem>span`.
        word: the site's class for a class of templates, or for a plain word.
        kept: whether a class tells something, and stays.
    """

    def __init__(
        self, parts: Mapping[str, str], word: Callable[[str], str], kept: Callable[[str], bool]
    ) -> None:
        self._word = word
        self._kept = kept
        self._wrapper = word("in")
        self._components = {name: _component(said, word) for name, said in parts.items()}
        self._within = {
            name: "".join(f'<{inner} class="{self._wrapper}">' for inner in one.within)
            for name, one in self._components.items()
        }
        self._closing = {
            name: "".join(f"</{inner}>" for inner in (*reversed(one.within), one.name))
            for name, one in self._components.items()
        }
        self._tags: dict[str, str] = {}
        self._style = lru_cache(256)(self._styled)

    def write(self, page: str) -> str:
        """A page of templates in this hand.

        Args:
            page: with one style, in its head.
        """
        head, opened, rest = page.partition("<style>")
        style, closed, body = rest.partition("</style>")
        return f"{head}{opened}{self._style(style)}{closed}{_TAG.sub(self._tag, body)}"

    def _tag(self, tag: re.Match[str]) -> str:
        text = tag[0]
        found = self._tags.get(text)
        if found is None:
            found = self._written(*tag.groups())
            if "data-fact" not in text:
                self._tags[text] = found
        return found

    def _written(self, slash: str, name: str, attributes: str) -> str:
        if slash:
            return self._closing.get(name) or f"</{name}>"
        component = self._components.get(name)
        classes = _CLASS.search(attributes)
        tokens = [self._class(token) for token in classes[1].split()] if classes else []
        if component is not None and component.token:
            tokens.append(component.token)
        told = _CLASS.sub("", attributes)
        if tokens:
            told = f' class="{" ".join(tokens)}"{told}'
        if component is not None and component.role:
            told += f' role="{component.role}"'
        return f"<{component.name if component else name}{told}>{self._within.get(name, '')}"

    def _class(self, name: str) -> str:
        return name if self._kept(name) else self._word(name)

    # ------------------------------------------------------------------ style

    def _styled(self, style: str) -> str:
        return f"\n{self._base()}{_RULE.sub(lambda rule: f'{self._selectors(rule[1])}{{', style)}"

    def _base(self) -> str:
        """What the elements of this hand look like where no rule says more: weaker than any."""
        lines = [f":where(.{self._wrapper}) {{ display:contents; font:inherit; }}"]
        for name, one in self._components.items():
            own = _BROWSERS.get(name, "") if one.name != name else ""
            said = ";".join(filter(None, (_TAKEN.get(one.name, ""), own)))
            if said:
                lines.append(f":where({self._found(one)}) {{ {said}; }}")
        return "\n".join(dict.fromkeys(lines)) + "\n"

    def _selectors(self, prelude: str) -> str:
        """The text before a rule's brace."""
        said = prelude.strip()
        if said.startswith("@"):
            return prelude
        blank = prelude[: len(prelude) - len(prelude.lstrip())]
        return f"{blank}{', '.join(wide for one in said.split(',') for wide in self._selector(one.strip()))} "

    def _selector(self, selector: str) -> list[str]:
        """A selector in this hand: several where wrappers may stand between a parent and its child."""
        inner = f":where(.{self._wrapper})"
        parts: list[tuple[str, ...]] = []
        whole = False
        for found in _SELECTOR.finditer(selector):
            match found.lastgroup:
                case "type":
                    parts.append((self._type(found[0]),))
                case "token":
                    parts.append((f".{self._class(found['token'])}",))
                case "joint" if found[0].strip() == ">":
                    parts.append((" > ", f" > {inner} > ", f" > {inner} > {inner} > "))
                case "pseudo" if parts and not whole:
                    parts.append((f":where(:not(.{self._wrapper})){found[0]}",))
                case _:
                    parts.append((found[0],))
            whole = found.lastgroup != "joint"
        return ["".join(one) for one in product(*parts)]

    def _type(self, name: str) -> str:
        if name == "svg":
            return ":is(svg, img)"
        meant = (name, *TOLD) if name == "span" else (name,)
        found = dict.fromkeys(
            self._found(self._components.get(one, Component(one, "", "", ()))) for one in meant
        )
        return next(iter(found)) if len(found) == 1 else f":is({', '.join(found)})"

    def _found(self, component: Component) -> str:
        """Where a component stands and no other does; as strong as its element's name alone."""
        if component.token:
            return f"{component.name}:where(.{component.token})"
        others = [one.token for one in self._components.values() if one.name == component.name and one.token]
        if any(component.name in one.within for one in self._components.values()):
            others.append(self._wrapper)
        other = ", ".join(f".{token}" for token in dict.fromkeys(others))
        return f"{component.name}:where(:not({other}))" if other else component.name


def _component(said: str, word: Callable[[str], str]) -> Component:
    outer, *within = said.split(">")
    named, _, role = outer.partition("@")
    name, _, token = named.partition(".")
    return Component(name, word(token) if token else "", role, tuple(within))


# ------------------------------------------------------------------ vocabularies


def _hashed(name: str, start: str, length: int) -> str:
    return start + f"{crc32(name.encode()):08x}"[:length]


def _bent(name: str, start: str, joint: str) -> str:
    first, _, rest = name.partition("-")
    return f"{first}{joint}{rest}" if rest else f"{start}{first}"


def _humped(name: str, start: str) -> str:
    return start + "".join(part.capitalize() for part in name.split("-"))


_WORDS: Mapping[str, Callable[[str], str]] = {
    "gate": lambda name: _bent(name, "g-", "__"),
    "almanac": lambda name: _bent(name, "al_", "_"),
    "ricordo": lambda name: _humped(name, "my"),
    "kasse": lambda name: _hashed(name, "_", 6),
    "harbor": lambda name: _humped(name, "Hb"),
    "nocturne": lambda name: "-of-".join(reversed(_bent(name, "night-", " ").split())),
    "municipal": lambda name: _bent(name, "MU-", "-").upper(),
    "terminal": lambda name: _hashed(name, "t", 5),
}
"""How each site names the classes of templates."""


# ------------------------------------------------------------------ components


def _all(component: str, **others: str) -> dict[str, str]:
    return {**dict.fromkeys(TOLD, component), **{f"f-{form}": said for form, said in others.items()}}


_VALUES: Mapping[str, Mapping[str, str]] = {
    "gate": _all("span", clock="time", length="time", money="data.price", day="time"),
    "almanac": _all("bdi", clock="bdi>span", money="bdi>samp", count="var"),
    "ricordo": _all("my-word", clock="my-time", day="my-day", money="my-price", length="my-time"),
    "kasse": _all("data.v", clock="data.v>span", money="output.sum", length="data.v"),
    "harbor": _all("span.said>span", clock="span.said>time", money="span.said>data", length="span.said>time"),
    "nocturne": _all("output", clock="time>span", money="output>span", length="output", word="span"),
    "municipal": _all("bdi.field>span", clock="bdi.field>time", money="bdi.field>data"),
    "terminal": _all("samp", clock="samp>time", money="samp>data", length="samp", count="var"),
}
"""What each site writes a time, an amount, a name in."""

_TABLE = {
    "table": "x-table@table", "thead": "x-heads@rowgroup", "tbody": "x-rows@rowgroup", "tr": "x-row@row", "th": "x-head@columnheader",
    "td": "x-cell@cell", "caption": "x-title@caption",
}  # fmt: skip
_LISTS = {"ul": "x-list@list", "ol": "x-steps@list", "li": "x-item@listitem"}
BUILDS: tuple[Mapping[str, str], ...] = (
    {"b": "strong.loud", "i": "em.soft"},
    {
        "section": "div.part", "article": "div.entry", "aside": "div.side", "figure": "div.figure", "p": "div.text",
        "li": "li>div", "td": "td>div", "dd": "dd>div", "th": "th>span",
    },
    {
        **_LISTS, "div": "x-box", "section": "x-part", "article": "x-card", "aside": "x-side", "p": "x-text",
        "dl": "x-terms", "dt": "x-term", "dd": "x-note", "td": "td>x-cell", "b": "x-strong",
    },
    {
        "table": "div.table@table", "thead": "div.heads@rowgroup", "tbody": "div.rows@rowgroup", "tr": "div.row@row",
        "th": "div.head@columnheader", "td": "div.cell@cell", "caption": "div.title@caption",
        "section": "article.part", "article": "section.entry", "li": "li>span", "div": "section.box", "dt": "dt>span",
    },
    {
        "div": "div>div", "section": "section>div", "article": "article>div>div", "li": "li>div>div", "td": "td>div>span",
        "dd": "dd>div>div", "dt": "dt>div", "p": "p>span", "ul": "menu.list", "span": "span>span",
    },
    {
        "ul": "div.list@list", "ol": "div.steps@list", "li": "section.item@listitem", "div": "article.box>div",
        "section": "div.part>section", "article": "div.entry>article", "dl": "div.terms", "dt": "div.term", "dd": "section.note",
        "p": "section.text", "td": "td>section", "b": "i.loud",
    },
    {
        **_TABLE, "div": "div>section", "section": "section>section", "article": "x-entry", "p": "div.text>span",
        "li": "li>section", "dt": "dt>samp", "dd": "dd>section",
    },
    {
        **_TABLE, **_LISTS, "td": "x-cell@cell>bdi", "li": "x-item@listitem>bdi", "div": "section.box>div", "section": "div.part>div",
        "dl": "div.terms", "dt": "div.term>bdi", "dd": "div.note>bdi", "p": "div.text>bdi", "span": "bdi",
    },
)  # fmt: skip
"""What pages of each age are made of; `x-` stands for the site's own elements."""


def hand_of(site: Site, build: int) -> Hand:
    """The hand of a site's pages of one build.

    Args:
        site: on which they stand.
        build: which of `BUILDS`.
    """
    return _hand(site.id, build)


@cache
def _hand(name: str, build: int) -> Hand:
    site = next(site for site in SITES if site.id == name)
    parts = {key: said.replace("x-", f"{name}-") for key, said in {**_VALUES[name], **BUILDS[build]}.items()}
    return Hand(parts, _WORDS[name], lambda token: site.state(token) is not None)
