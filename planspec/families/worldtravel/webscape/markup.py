"""Rewriting of rendered templates in the HTML elements and class names of a site.

Templates are written once, in plain elements. A `MarkupWriter` rewrites a rendered template with the site's class
names, the site's elements for facts (a time, an amount, a name), and the elements of a variant. Variants imitate pages
of different age on a real site: they use lists or boxes, more or fewer wrappers, or custom elements. The style sheet is
rewritten as well, so a page looks the same in every variant.
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
"""Elements that templates use for facts, such as `f-clock`. In templates' styles, the selector `span` matches them."""
_BLOCK = "display:block"
_DEFAULT_STYLES: Mapping[str, str] = {
    **dict.fromkeys(("div", "section", "article", "header", "footer", "aside", "hgroup", "dt"), _BLOCK),
    "p": f"{_BLOCK};margin:1em 0",
    "figure": f"{_BLOCK};margin:1em 40px",
    "dl": f"{_BLOCK};margin:1em 0",
    "dd": f"{_BLOCK};margin-left:40px",
    "ul": f"{_BLOCK};margin:1em 0;padding-left:40px;list-style:disc",
    "ol": f"{_BLOCK};margin:1em 0;padding-left:40px;list-style:decimal;counter-reset:list-item",
    "li": "display:list-item",
    "table": "display:table;border-spacing:2px",
    "thead": "display:table-header-group;vertical-align:middle",
    "tbody": "display:table-row-group;vertical-align:middle",
    "tr": "display:table-row;vertical-align:inherit",
    "td": "display:table-cell;padding:1px;vertical-align:inherit",
    "th": "display:table-cell;padding:1px;vertical-align:inherit;font-weight:700;text-align:center",
    "b": "font-weight:bolder",
    "strong": "font-weight:bolder",
    "i": "font-style:italic",
    "em": "font-style:italic",
    "caption": "display:table-caption;text-align:center",
    "small": "font-size:smaller",
}
"""Browsers' default styles of the templates' elements that are replaced."""
_RESET_STYLES = {"samp": "font:inherit", "var": "font-style:inherit", "i": "font-style:normal"}
"""Styles that undo browsers' default styles of replacement elements."""


@dataclass(frozen=True, slots=True)
class Component:
    """Replacement of one of the templates' elements.

    Attributes:
        name: name of the new element.
        token: class name of the new element; empty if it has none.
        role: ARIA role of the new element; empty if its name implies the role.
        within: names of further elements around the content, the outermost first.
    """

    name: str
    token: str
    role: str
    within: tuple[str, ...]


class MarkupWriter:
    """Writer that rewrites pages in one variant of a site's markup.

    Args:
        parts: replacement by element. A replacement may have a class, a role and inner elements, as in
            `div.item@listitem>span`.
        rename_class: function that returns the site's class name for a class name in templates.
        shows_fact: function that returns whether a class shows a fact and therefore stays.
    """

    def __init__(
        self, parts: Mapping[str, str], rename_class: Callable[[str], str], shows_fact: Callable[[str], bool]
    ) -> None:
        self._word = rename_class
        self._is_kept = shows_fact
        self._wrapper = rename_class("in")
        self._components = {name: _parse_component(part, rename_class) for name, part in parts.items()}
        self._within = {
            name: "".join(f'<{inner} class="{self._wrapper}">' for inner in component.within)
            for name, component in self._components.items()
        }
        self._closing = {
            name: "".join(f"</{inner}>" for inner in (*reversed(component.within), component.name))
            for name, component in self._components.items()
        }
        self._tags: dict[str, str] = {}
        self._style = lru_cache(256)(self._rewrite_style)

    def write(self, page: str) -> str:
        """Return a page with its elements, classes and style sheet rewritten.

        Args:
            page: HTML of a rendered template, with one style sheet in its head.
        """
        head, opened, rest = page.partition("<style>")
        style, closed, body = rest.partition("</style>")
        return f"{head}{opened}{self._style(style)}{closed}{_TAG.sub(self._replace_tag, body)}"

    def _replace_tag(self, tag: re.Match[str]) -> str:
        text = tag[0]
        markup = self._tags.get(text)
        if markup is None:
            markup = self._write_tag(*tag.groups())
            if "data-fact" not in text:
                self._tags[text] = markup
        return markup

    def _write_tag(self, slash: str, name: str, attributes: str) -> str:
        if slash:
            return self._closing.get(name) or f"</{name}>"
        component = self._components.get(name)
        classes = _CLASS.search(attributes)
        tokens = [self._class_name(token) for token in classes[1].split()] if classes else []
        if component is not None and component.token:
            tokens.append(component.token)
        rest = _CLASS.sub("", attributes)
        if tokens:
            rest = f' class="{" ".join(tokens)}"{rest}'
        if component is not None and component.role:
            rest += f' role="{component.role}"'
        return f"<{component.name if component else name}{rest}>{self._within.get(name, '')}"

    def _class_name(self, name: str) -> str:
        return name if self._is_kept(name) else self._word(name)

    # ------------------------------------------------------------------ style

    def _rewrite_style(self, style: str) -> str:
        return f"\n{self._default_rules()}{_RULE.sub(lambda rule: f'{self._rewrite_selectors(rule[1])}{{', style)}"

    def _default_rules(self) -> str:
        """Return CSS rules that make replacement elements look like the replaced ones. Other rules override them."""
        lines = [f":where(.{self._wrapper}) {{ display:contents; font:inherit; }}"]
        for name, component in self._components.items():
            template_style = _DEFAULT_STYLES.get(name, "") if component.name != name else ""
            declarations = ";".join(filter(None, (_RESET_STYLES.get(component.name, ""), template_style)))
            if declarations:
                lines.append(f":where({self._component_selector(component)}) {{ {declarations}; }}")
        return "\n".join(dict.fromkeys(lines)) + "\n"

    def _rewrite_selectors(self, prelude: str) -> str:
        """Rewrite the selectors of a CSS rule."""
        selector_text = prelude.strip()
        if selector_text.startswith("@"):
            return prelude
        blank = prelude[: len(prelude) - len(prelude.lstrip())]
        return f"{blank}{', '.join(wide for selector in selector_text.split(',') for wide in self._rewrite_selector(selector.strip()))} "

    def _rewrite_selector(self, selector: str) -> list[str]:
        """Rewrite a CSS selector for the templates into selectors for the rewritten page.

        A selector with `>` becomes several, since up to two wrappers may stand between a parent and its child.
        """
        inner = f":where(.{self._wrapper})"
        parts: list[tuple[str, ...]] = []
        whole = False
        for match in _SELECTOR.finditer(selector):
            match match.lastgroup:
                case "type":
                    parts.append((self._type_selector(match[0]),))
                case "token":
                    parts.append((f".{self._class_name(match['token'])}",))
                case "joint" if match[0].strip() == ">":
                    parts.append((" > ", f" > {inner} > ", f" > {inner} > {inner} > "))
                case "pseudo" if parts and not whole:
                    parts.append((f":where(:not(.{self._wrapper})){match[0]}",))
                case _:
                    parts.append((match[0],))
            whole = match.lastgroup != "joint"
        return ["".join(choice) for choice in product(*parts)]

    def _type_selector(self, name: str) -> str:
        if name == "svg":
            return ":is(svg, img)"
        names = (name, *FACT_ELEMENTS) if name == "span" else (name,)
        selectors = dict.fromkeys(
            self._component_selector(self._components.get(name_, Component(name_, "", "", ()))) for name_ in names
        )
        return next(iter(selectors)) if len(selectors) == 1 else f":is({', '.join(selectors)})"

    def _component_selector(self, component: Component) -> str:
        """Return a CSS selector that matches only a component, with the specificity of an element's name."""
        if component.token:
            return f"{component.name}:where(.{component.token})"
        others = [
            other_.token for other_ in self._components.values() if other_.name == component.name and other_.token
        ]
        if any(component.name in other_.within for other_ in self._components.values()):
            others.append(self._wrapper)
        other = ", ".join(f".{token}" for token in dict.fromkeys(others))
        return f"{component.name}:where(:not({other}))" if other else component.name


def _parse_component(text: str, rename_class: Callable[[str], str]) -> Component:
    outer, *within = text.split(">")
    named, _, role = outer.partition("@")
    name, _, token = named.partition(".")
    return Component(name, rename_class(token) if token else "", role, tuple(within))


# ------------------------------------------------------------------ vocabularies


def _hashed_name(name: str, start: str, length: int) -> str:
    return start + f"{crc32(name.encode()):08x}"[:length]


def _joined_name(name: str, start: str, joint: str) -> str:
    first, _, rest = name.partition("-")
    return f"{first}{joint}{rest}" if rest else f"{start}{first}"


def _camel_case_name(name: str, start: str) -> str:
    return start + "".join(part.capitalize() for part in name.split("-"))


_CLASS_RENAMERS: Mapping[str, Callable[[str], str]] = {
    "gate": lambda name: _joined_name(name, "g-", "__"),
    "almanac": lambda name: _joined_name(name, "al_", "_"),
    "ricordo": lambda name: _camel_case_name(name, "my"),
    "kasse": lambda name: _hashed_name(name, "_", 6),
    "harbor": lambda name: _camel_case_name(name, "Hb"),
    "nocturne": lambda name: "-of-".join(reversed(_joined_name(name, "night-", " ").split())),
    "municipal": lambda name: _joined_name(name, "MU-", "-").upper(),
    "terminal": lambda name: _hashed_name(name, "t", 5),
}
"""For each site, the function that makes its class names from the templates' class names."""


# ------------------------------------------------------------------ components


def _fact_components(component: str, **others: str) -> dict[str, str]:
    return {**dict.fromkeys(FACT_ELEMENTS, component), **{f"f-{form}": part for form, part in others.items()}}


_FACT_COMPONENTS: Mapping[str, Mapping[str, str]] = {
    "gate": _fact_components("span", clock="time", length="time", money="data.price", day="time"),
    "almanac": _fact_components("bdi", clock="bdi>span", money="bdi>samp", count="var"),
    "ricordo": _fact_components("my-word", clock="my-time", day="my-day", money="my-price", length="my-time"),
    "kasse": _fact_components("data.v", clock="data.v>span", money="output.sum", length="data.v"),
    "harbor": _fact_components(
        "span.said>span", clock="span.said>time", money="span.said>data", length="span.said>time"
    ),
    "nocturne": _fact_components("output", clock="time>span", money="output>span", length="output", word="span"),
    "municipal": _fact_components("bdi.field>span", clock="bdi.field>time", money="bdi.field>data"),
    "terminal": _fact_components("samp", clock="samp>time", money="samp>data", length="samp", count="var"),
}
"""Replacements of the elements for facts, by site."""

_TABLE = {
    "table": "x-table@table",
    "thead": "x-heads@rowgroup",
    "tbody": "x-rows@rowgroup",
    "tr": "x-row@row",
    "th": "x-head@columnheader",
    "td": "x-cell@cell",
    "caption": "x-title@caption",
}
_LISTS = {"ul": "x-list@list", "ol": "x-steps@list", "li": "x-item@listitem"}
MARKUP_VARIANTS: tuple[Mapping[str, str], ...] = (
    {"b": "strong.loud", "i": "em.soft"},
    {
        "section": "div.part",
        "article": "div.entry",
        "aside": "div.side",
        "figure": "div.figure",
        "p": "div.text",
        "li": "li>div",
        "td": "td>div",
        "dd": "dd>div",
        "th": "th>span",
    },
    {
        **_LISTS,
        "div": "x-box",
        "section": "x-part",
        "article": "x-card",
        "aside": "x-side",
        "p": "x-text",
        "dl": "x-terms",
        "dt": "x-term",
        "dd": "x-note",
        "td": "td>x-cell",
        "b": "x-strong",
    },
    {
        "table": "div.table@table",
        "thead": "div.heads@rowgroup",
        "tbody": "div.rows@rowgroup",
        "tr": "div.row@row",
        "th": "div.head@columnheader",
        "td": "div.cell@cell",
        "caption": "div.title@caption",
        "section": "article.part",
        "article": "section.entry",
        "li": "li>span",
        "div": "section.box",
        "dt": "dt>span",
    },
    {
        "div": "div>div",
        "section": "section>div",
        "article": "article>div>div",
        "li": "li>div>div",
        "td": "td>div>span",
        "dd": "dd>div>div",
        "dt": "dt>div",
        "p": "p>span",
        "ul": "menu.list",
        "span": "span>span",
    },
    {
        "ul": "div.list@list",
        "ol": "div.steps@list",
        "li": "section.item@listitem",
        "div": "article.box>div",
        "section": "div.part>section",
        "article": "div.entry>article",
        "dl": "div.terms",
        "dt": "div.term",
        "dd": "section.note",
        "p": "section.text",
        "td": "td>section",
        "b": "i.loud",
    },
    {
        **_TABLE,
        "div": "div>section",
        "section": "section>section",
        "article": "x-entry",
        "p": "div.text>span",
        "li": "li>section",
        "dt": "dt>samp",
        "dd": "dd>section",
    },
    {
        **_TABLE,
        **_LISTS,
        "td": "x-cell@cell>bdi",
        "li": "x-item@listitem>bdi",
        "div": "section.box>div",
        "section": "div.part>div",
        "dl": "div.terms",
        "dt": "div.term>bdi",
        "dd": "div.note>bdi",
        "p": "div.text>bdi",
        "span": "bdi",
    },
)
"""Variants of markup: replacements of other elements.

`x-` stands for the prefix of the site's custom elements.
"""


def markup_writer(site: Site, markup_variant: int) -> MarkupWriter:
    """Return the writer for one variant of a site's markup.

    Args:
        site: site of the pages.
        markup_variant: index in `MARKUP_VARIANTS`.
    """
    return _cached_writer(site.id, markup_variant)


@cache
def _cached_writer(name: str, markup_variant: int) -> MarkupWriter:
    site = next(site for site in SITES if site.id == name)
    parts = {
        key: part.replace("x-", f"{name}-")
        for key, part in {**_FACT_COMPONENTS[name], **MARKUP_VARIANTS[markup_variant]}.items()
    }
    return MarkupWriter(parts, _CLASS_RENAMERS[name], lambda token: site.state(token) is not None)
