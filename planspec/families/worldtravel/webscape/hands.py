"""A site's markup: the elements, classes and wrappers that replace the plain ones of templates.

Templates are written once, in plain elements. A hand turns them into a page: it has the site's vocabulary of
classes, its components for facts (a time, an amount, a name), and a build, since real sites are rebuilt
piecemeal and have pages of several ages: lists or boxes, tables or boxes, more or fewer wrappers, custom
elements. The style is rewritten as well, so that a page keeps its look in any markup.
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
FACT_ELEMENTS = tuple(f"f-{form}" for form in get_args(Form))
"""Elements of templates for facts, by form; the selector `span` matches them, too."""
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
"""Default browser styles of elements that are replaced."""
_TAKEN = {"samp": "font:inherit", "var": "font-style:inherit", "i": "font-style:normal"}
"""Resets for elements that browsers would style."""


@dataclass(frozen=True, slots=True)
class Component:
    """The replacement of a template's element.

    Attributes:
        name: name of its element.
        token: its class; empty if it needs none.
        role: its ARIA role; empty if the element implies it.
        within: further elements around the content, from the outside.
    """

    name: str
    token: str
    role: str
    within: tuple[str, ...]


class Hand:
    """A way to write markup.

    Args:
        parts: replacement of each element: another one with a class, and inner elements, such as
            `div.item@listitem>span`.
        word: function that returns the site's class for a class of templates, or for a plain word.
        kept: predicate of classes that show a fact, and stay.
    """

    def __init__(
        self, parts: Mapping[str, str], word: Callable[[str], str], is_kept: Callable[[str], bool]
    ) -> None:
        self._word = word
        self._is_kept = is_kept
        self._wrapper = word("in")
        self._components = {name: _component(part, word) for name, part in parts.items()}
        self._within = {
            name: "".join(f'<{inner} class="{self._wrapper}">' for inner in component.within)
            for name, component in self._components.items()
        }
        self._closing = {
            name: "".join(f"</{inner}>" for inner in (*reversed(component.within), component.name))
            for name, component in self._components.items()
        }
        self._tags: dict[str, str] = {}
        self._style = lru_cache(256)(self._styled)

    def write(self, page: str) -> str:
        """Write a page of templates in this hand.

        Args:
            page: page with one style, in its head.
        """
        head, opened, rest = page.partition("<style>")
        style, closed, body = rest.partition("</style>")
        return f"{head}{opened}{self._style(style)}{closed}{_TAG.sub(self._tag, body)}"

    def _tag(self, tag: re.Match[str]) -> str:
        text = tag[0]
        markup = self._tags.get(text)
        if markup is None:
            markup = self._written(*tag.groups())
            if "data-fact" not in text:
                self._tags[text] = markup
        return markup

    def _written(self, slash: str, name: str, attributes: str) -> str:
        if slash:
            return self._closing.get(name) or f"</{name}>"
        component = self._components.get(name)
        classes = _CLASS.search(attributes)
        tokens = [self._class(token) for token in classes[1].split()] if classes else []
        if component is not None and component.token:
            tokens.append(component.token)
        rest = _CLASS.sub("", attributes)
        if tokens:
            rest = f' class="{" ".join(tokens)}"{rest}'
        if component is not None and component.role:
            rest += f' role="{component.role}"'
        return f"<{component.name if component else name}{rest}>{self._within.get(name, '')}"

    def _class(self, name: str) -> str:
        return name if self._is_kept(name) else self._word(name)

    # ------------------------------------------------------------------ style

    def _styled(self, style: str) -> str:
        return f"\n{self._base()}{_RULE.sub(lambda rule: f'{self._selectors(rule[1])}{{', style)}"

    def _base(self) -> str:
        """Return the default look of this hand's elements, weaker than any other rule."""
        lines = [f":where(.{self._wrapper}) {{ display:contents; font:inherit; }}"]
        for name, component in self._components.items():
            own = _BROWSERS.get(name, "") if component.name != name else ""
            declarations = ";".join(filter(None, (_TAKEN.get(component.name, ""), own)))
            if declarations:
                lines.append(f":where({self._found(component)}) {{ {declarations}; }}")
        return "\n".join(dict.fromkeys(lines)) + "\n"

    def _selectors(self, prelude: str) -> str:
        """Rewrite the text before a rule's brace."""
        selector_text = prelude.strip()
        if selector_text.startswith("@"):
            return prelude
        blank = prelude[: len(prelude) - len(prelude.lstrip())]
        return f"{blank}{', '.join(wide for selector in selector_text.split(',') for wide in self._selector(selector.strip()))} "

    def _selector(self, selector: str) -> list[str]:
        """Rewrite a selector: several if wrappers may stand between a parent and its child."""
        inner = f":where(.{self._wrapper})"
        parts: list[tuple[str, ...]] = []
        whole = False
        for match in _SELECTOR.finditer(selector):
            match match.lastgroup:
                case "type":
                    parts.append((self._type(match[0]),))
                case "token":
                    parts.append((f".{self._class(match['token'])}",))
                case "joint" if match[0].strip() == ">":
                    parts.append((" > ", f" > {inner} > ", f" > {inner} > {inner} > "))
                case "pseudo" if parts and not whole:
                    parts.append((f":where(:not(.{self._wrapper})){match[0]}",))
                case _:
                    parts.append((match[0],))
            whole = match.lastgroup != "joint"
        return ["".join(choice) for choice in product(*parts)]

    def _type(self, name: str) -> str:
        if name == "svg":
            return ":is(svg, img)"
        names = (name, *FACT_ELEMENTS) if name == "span" else (name,)
        selectors = dict.fromkeys(
            self._found(self._components.get(name_, Component(name_, "", "", ()))) for name_ in names
        )
        return next(iter(selectors)) if len(selectors) == 1 else f":is({', '.join(selectors)})"

    def _found(self, component: Component) -> str:
        """Return a selector for a component alone, with the specificity of its element's name."""
        if component.token:
            return f"{component.name}:where(.{component.token})"
        others = [
            other_.token
            for other_ in self._components.values()
            if other_.name == component.name and other_.token
        ]
        if any(component.name in other_.within for other_ in self._components.values()):
            others.append(self._wrapper)
        other = ", ".join(f".{token}" for token in dict.fromkeys(others))
        return f"{component.name}:where(:not({other}))" if other else component.name


def _component(text: str, word: Callable[[str], str]) -> Component:
    outer, *within = text.split(">")
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
"""Class names of each site, made from those of templates."""


# ------------------------------------------------------------------ components


def _all(component: str, **others: str) -> dict[str, str]:
    return {**dict.fromkeys(FACT_ELEMENTS, component), **{f"f-{form}": part for form, part in others.items()}}


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
"""Each site's elements for times, amounts and names."""

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
"""Markup of pages of each age; `x-` stands for the site's custom elements."""


def hand_of(site: Site, build: int) -> Hand:
    """Return the hand of a site's pages of one build.

    Args:
        site: site of the pages.
        build: index in `BUILDS`.
    """
    return _hand(site.id, build)


@cache
def _hand(name: str, build: int) -> Hand:
    site = next(site for site in SITES if site.id == name)
    parts = {key: part.replace("x-", f"{name}-") for key, part in {**_VALUES[name], **BUILDS[build]}.items()}
    return Hand(parts, _WORDS[name], lambda token: site.state(token) is not None)
