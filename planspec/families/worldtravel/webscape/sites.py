"""The eight sites (fictional websites) to which pages belong. Each has its own frame, fonts, colours and notation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from planspec.families.worldtravel.webscape.forms import SiteNotation


@dataclass(frozen=True, slots=True)
class Site:
    """A fictional website to which pages belong.

    Attributes:
        id: identifier, which is part of file names.
        name: name that the pages show.
        slogan: slogan that the pages show.
        notation: notation of times, days, amounts and durations.
        states: CSS class names by state, such as `gone` for sold out. The class name of any other state is `prefix`
            followed by the state.
        prefix: prefix of CSS class names.
        colours: custom properties of CSS: `paper`, `ink`, `soft`, `faint`, `line`, `accent`, `accent-ink`,
            `alarm`, `good`; `mark` is the accent as a text colour, if it differs.
        head: font family of headings.
        body: font family of the text.
        radius: radius of corners, in pixels.
        pictures: markup of drawings: an image (`image`), or SVG in the page without groups (`plain`), with one group
            around all layers (`group`), with a group for each layer (`layers`), or with both (`deep`).
    """

    id: str
    name: str
    slogan: str
    notation: SiteNotation
    states: dict[str, str]
    prefix: str
    colours: dict[str, str]
    head: str
    body: str
    radius: int
    pictures: Literal["image", "layers", "group", "deep", "plain"]
    measure: int = field(default=1120)
    """Largest width of a page's text, in pixels."""

    def token(self, state: str) -> str:
        """Return the CSS class name that shows a state, such as `gone` for sold out."""
        return self.states.get(state) or f"{self.prefix}{state}"

    def state(self, token: str) -> str | None:
        """Return the state that a CSS class name shows, or None if it shows none."""
        for state, name in self.states.items():
            if name == token:
                return state
        return token.removeprefix(self.prefix) if token.startswith(self.prefix) else None

    @property
    def is_dark(self) -> bool:
        """Whether the background is darker than the text."""
        return self.colours["paper"] < self.colours["ink"]

    @property
    def faint_word(self) -> str:
        """Adjective with which the site's texts describe subdued (grey) type."""
        return "dim" if self.is_dark else "pale"

    @property
    def variables(self) -> str:
        """The site's custom properties as CSS declarations."""
        properties = {
            "mark": self.colours["accent"],
            **self.colours,
            "head": self.head,
            "body": self.body,
            "radius": f"{self.radius}px",
            "measure": f"{self.measure}px",
        }
        return ";".join(f"--{name}:{value}" for name, value in properties.items())


SERIF = "'Source Serif 4', 'Noto Serif', 'DejaVu Serif', Georgia, serif"
SANS = "'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif"
MONO = "'DejaVu Sans Mono', 'Noto Sans Mono', monospace"
NARROW = "'DejaVu Sans Condensed', 'Liberation Sans Narrow', 'Arial Narrow', sans-serif"

SITES = (
    Site(
        "gate",
        "Gate & Hour",
        "Tickets, tables and rooms, by the hour",
        SiteNotation("colon", "long", "front", "min"),
        {"gone": "is-off", "few": "is-low", "free": "is-on"},
        "gh-",
        {
            "paper": "#ffffff",
            "ink": "#16202c",
            "soft": "#f2f5f9",
            "faint": "#b4bdc8",
            "line": "#dbe2ea",
            "accent": "#0b5fff",
            "accent-ink": "#ffffff",
            "alarm": "#c8310b",
            "good": "#0a7d47",
        },
        SANS,
        SANS,
        8,
        "image",
    ),
    Site(
        "almanac",
        "The City Almanac",
        "Printed since 1911, corrected daily",
        SiteNotation("dot", "short", "code", "hours"),
        {"gone": "x", "few": "last", "free": "o"},
        "alm-",
        {
            "paper": "#fbf7ee",
            "ink": "#2a2118",
            "soft": "#f1e9d8",
            "faint": "#bfb29a",
            "line": "#d8cbb0",
            "accent": "#8a1c1c",
            "accent-ink": "#fbf7ee",
            "alarm": "#8a1c1c",
            "good": "#3f5a2a",
        },
        SERIF,
        SERIF,
        0,
        "layers",
        980,
    ),
    Site(
        "ricordo",
        "ricordo",
        "little trips, well spent",
        SiteNotation("h", "american", "behind", "minutes"),
        {"gone": "gone", "few": "hurry", "free": "yes"},
        "rc-",
        {
            "paper": "#fffdf9",
            "ink": "#3b2f3f",
            "soft": "#fbeee6",
            "faint": "#cdbfc6",
            "line": "#efdcd2",
            "accent": "#d9583b",
            "accent-ink": "#fffdf9",
            "alarm": "#b3261e",
            "good": "#3d7f6a",
        },
        SERIF,
        SANS,
        18,
        "plain",
        1040,
    ),
    Site(
        "kasse",
        "KASSE 24",
        "Karten. Biglietti. Entradas. Tickets.",
        SiteNotation("colon", "dots", "behind", "letters"),
        {"gone": "k0", "few": "k1", "free": "k2"},
        "k-",
        {
            "paper": "#f7f7f7",
            "ink": "#111111",
            "soft": "#ffffff",
            "faint": "#a9a9a9",
            "line": "#cfcfcf",
            "accent": "#ffcc00",
            "mark": "#6b5200",
            "accent-ink": "#111111",
            "alarm": "#d40000",
            "good": "#007a33",
        },
        NARROW,
        NARROW,
        2,
        "image",
        1180,
    ),
    Site(
        "harbor",
        "Harbor Travel Desk",
        "Your concierge, one page at a time",
        SiteNotation("half", "american", "front", "hours"),
        {"gone": "unavail", "few": "limited", "free": "avail"},
        "hb-",
        {
            "paper": "#f5faf9",
            "ink": "#12323a",
            "soft": "#e3f1ef",
            "faint": "#9fb9ba",
            "line": "#c5dedb",
            "accent": "#0f766e",
            "accent-ink": "#ffffff",
            "alarm": "#b45309",
            "good": "#0f766e",
        },
        SANS,
        SERIF,
        12,
        "group",
    ),
    Site(
        "nocturne",
        "Nocturne",
        "The city after dark, and before",
        SiteNotation("colon", "short", "code", "min"),
        {"gone": "ghost", "few": "glow", "free": "lit"},
        "nc-",
        {
            "paper": "#14161f",
            "ink": "#eceef5",
            "soft": "#1f2331",
            "faint": "#5d647a",
            "line": "#333a4e",
            "accent": "#f0b429",
            "accent-ink": "#14161f",
            "alarm": "#ff7a59",
            "good": "#7bd88f",
        },
        SERIF,
        SANS,
        6,
        "deep",
        1080,
    ),
    Site(
        "municipal",
        "City Visitors' Office",
        "Information for visitors",
        SiteNotation("dot", "iso", "code", "minutes"),
        {"gone": "status-3", "few": "status-2", "free": "status-1"},
        "status-x-",
        {
            "paper": "#ffffff",
            "ink": "#1a1a1a",
            "soft": "#eef1e6",
            "faint": "#9aa08c",
            "line": "#c9cfb9",
            "accent": "#3b5323",
            "accent-ink": "#ffffff",
            "alarm": "#9a3412",
            "good": "#3b5323",
        },
        SANS,
        SANS,
        0,
        "image",
        1000,
    ),
    Site(
        "terminal",
        "ways.and.hours",
        "plain pages, no cookies",
        SiteNotation("colon", "iso", "code", "letters"),
        {"gone": "n", "few": "f", "free": "y"},
        "w-",
        {
            "paper": "#fdfdfb",
            "ink": "#20242a",
            "soft": "#f0f0ea",
            "faint": "#b7b9b2",
            "line": "#d9dbd2",
            "accent": "#5b21b6",
            "accent-ink": "#ffffff",
            "alarm": "#b91c1c",
            "good": "#15803d",
        },
        MONO,
        MONO,
        0,
        "image",
        1140,
    ),
)
"""All sites. Each has the template `frames/<id>.j2`."""
