"""IE, information extraction: the constraints that a run declares, compared with its episode's constraints.

    IE = 1 if the set of declared constraints equals the set of the episode's constraints, else 0

The sets are compared slot by slot, in a canonical form:

- Names are compared without case, accents and repeated blanks. Any word for a category of places is accepted.
- For the user's location, any of `HERE_WORDS` and the coordinates are accepted.
- Times are HH:MM, lengths are in metres, and coordinates are rounded to `PRECISION` decimals.
- Days, preferences and things to avoid are sets. Stops are in order.

Empty slots (null, an empty string or an empty list) are ignored. The origin and the centre of a search default to the
user's location, the city to the user's city. The sets differ if a slot is missing or superfluous, or if a value cannot
be read.

Source: section 3.2.1, equation (2) of the paper: "only if the two sets exactly match".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, TypeAlias

from planspec.families.mobilitybench.calls import PRECISION, folded
from planspec.families.mobilitybench.episode import Context, Episode
from planspec.families.mobilitybench.map.categories import category_of

HERE = "here"
HERE_WORDS = frozenset(
    map(
        folded,
        (
            "here",
            "my location",
            "current location",
            "my current location",
            "user location",
            "current position",
            "my position",
            "where i am",
            "我的位置",
            "当前位置",
            "我这里",
            "这里",
            "此处",
            "当前地点",
            "我的当前位置",
            "我当前位置",
            "用户位置",
            "用户当前位置",
            "本地",
            "我现在的位置",
            "hier",
            "mein Standort",
            "meinem Standort",
            "aktueller Standort",
            "mein aktueller Standort",
            "meine Position",
            "aktuelle Position",
            "wo ich bin",
            "現在地",
            "ここ",
            "今いる場所",
            "今の場所",
            "現在位置",
            "私の位置",
            "現在の場所",
        ),
    )
)
"""Words for the user's location."""
DEFAULT_HERE = ("origin", "near")
"""Slots that default to the user's location."""
_PLACE = re.compile(r"\s*(-?\d{1,3}(?:\.\d+)?)\s*[,，]\s*(-?\d{1,3}(?:\.\d+)?)\s*", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2})[:：]([0-5]\d)(?::[0-5]\d)?", re.ASCII)
_LENGTH = re.compile(
    r"(\d{1,7}(?:\.\d{1,3})?)\s*(m|metres?|met(?:er|ern|ers)|米|メートル|km|kilomet(?:re|er)[sn]?|公里|千米|キロ(?:メートル)?)?",
    re.IGNORECASE | re.ASCII,
)
_KILO = frozenset("k公千キ")
MOST = 10**9
"""Maximum count, and maximum length in metres."""
SlotForm: TypeAlias = Callable[[Any, str | None], Any]
"""Function that converts a slot's value to canonical form. Its second argument is the user's location or None."""


class InvalidSlotValueError(ValueError):
    """Error if a value does not fit its slot."""


def canonical(constraints: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Convert constraints to canonical form.

    Args:
        constraints: constraints by slot.
        context: context with the user's location.

    Returns:
        Canonical values by slot. A value that cannot be read becomes `("unfit", text)`, which equals no valid
        value.
    """
    user_location = _round_coordinates(context.location) if context.location else None
    values: dict[str, Any] = {}
    for slot, value in constraints.items():
        if value is None or value in ("", []):
            continue
        try:
            values[slot] = _FORMS.get(slot, _as_text)(value, user_location)
        except InvalidSlotValueError:
            values[slot] = ("unfit", str(value)[:100])
    return values


def constraint_faults(episode: Episode, declared: Any) -> tuple[str, ...]:
    """Return the faults of declared constraints, such as `missing via`.

    Args:
        episode: episode with the expected constraints.
        declared: an object with a value for each slot; any other value is a fault.
    """
    if not isinstance(declared, Mapping):
        return ("no object of slots",)
    expected = canonical(episode.constraints, episode.context)
    actual = canonical({str(slot): value for slot, value in declared.items()}, episode.context)
    for slot, default in _slot_defaults(episode.context).items():
        if slot in expected or slot in actual:
            expected.setdefault(slot, default)
            actual.setdefault(slot, default)
    faults = [f"missing {slot}" for slot in expected if slot not in actual]
    faults += [f"extra {slot}" for slot in actual if slot not in expected]
    faults += [f"other {slot}" for slot in expected if slot in actual and actual[slot] != expected[slot]]
    return tuple(sorted(faults))


def _slot_defaults(context: Context) -> dict[str, Any]:
    """Return the default values of slots in canonical form."""
    defaults = dict.fromkeys(DEFAULT_HERE, HERE)
    return defaults if context.city is None else defaults | {"city": _as_city(context.city, None)}


def _as_name(value: Any, user_location: str | None) -> str:
    text = _checked_text(value)
    place = _PLACE.fullmatch(text)
    if place is not None:
        rounded = _round_coordinates(text)
        return HERE if rounded == user_location else rounded
    plain = folded(text)
    return HERE if plain in HERE_WORDS else plain


def _as_kind(value: Any, user_location: str | None) -> str:
    """Return the category of places that a value names, otherwise the value as a canonical name."""
    return category_of(_checked_text(value)) or _as_name(value, user_location)


def _as_city(value: Any, user_location: str | None) -> str:
    plain = _as_name(value, user_location)
    return plain.removesuffix("市") or plain


def _as_text(value: Any, _: str | None) -> Any:
    return folded(_checked_text(value)) if isinstance(value, str) else value


def _as_word(value: Any, _: str | None) -> str:
    return folded(_checked_text(value)).replace("-", "_").replace(" ", "_")


def _as_clock(value: Any, _: str | None) -> str:
    match = _CLOCK.fullmatch(_checked_text(value).strip())
    if match is None or int(match[1]) > 23:
        raise InvalidSlotValueError
    return f"{int(match[1]):02}:{match[2]}"


def _as_count(value: Any, _: str | None) -> int:
    """Return a whole number, given as a JSON number or a string."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InvalidSlotValueError
    if not -MOST <= value <= MOST or value != int(value):
        raise InvalidSlotValueError
    return int(value)


def _as_metres(value: Any, user_location: str | None) -> int:
    if not isinstance(value, str):
        return _as_count(value, user_location)
    match = _LENGTH.fullmatch(value.strip())
    if match is None:
        raise InvalidSlotValueError
    unit = (match[2] or "m").casefold()
    return _as_count(Decimal(match[1]) * (1000 if unit[0] in _KILO else 1), user_location)


def _as_place(value: Any, user_location: str | None) -> str:
    """Return a place in canonical form: a name, or coordinates as a string, also for the user's location."""
    text = _checked_text(value)
    if _PLACE.fullmatch(text):
        return _round_coordinates(text)
    if folded(text) in HERE_WORDS:
        return user_location or HERE
    raise InvalidSlotValueError


def _as_day(value: Any, _: str | None) -> str:
    try:
        return date.fromisoformat(_checked_text(value).strip()).isoformat()
    except ValueError:
        raise InvalidSlotValueError from None


def _set_form(form: SlotForm) -> SlotForm:
    return lambda value, user_location: frozenset(form(item, user_location) for item in _as_list(value))


def _list_form(form: SlotForm) -> SlotForm:
    return lambda value, user_location: tuple(form(item, user_location) for item in _as_list(value))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _checked_text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 500:
        raise InvalidSlotValueError
    return value


def _round_coordinates(text: str) -> str:
    match = _PLACE.fullmatch(text)
    if match is None:
        return folded(text)
    return ",".join(str(round(Decimal(part), PRECISION) + Decimal(0)) for part in match.groups())


_FORMS: Mapping[str, SlotForm] = {
    **dict.fromkeys(("place", "category"), _as_kind),
    **dict.fromkeys(("district", "near", "road", "origin", "destination", "use_line"), _as_name),
    "city": _as_city,
    "via": _list_form(_as_name),
    **dict.fromkeys(("avoid_roads", "avoid_lines"), _set_form(_as_name)),
    "location": _as_place,
    "radius": _as_metres,
    **dict.fromkeys(("limit", "max_transfers"), _as_count),
    "days": _set_form(_as_day),
    "preferences": _set_form(_as_word),
    **dict.fromkeys(("mode", "asked"), _as_word),
    **dict.fromkeys(("depart_at", "arrive_by"), _as_clock),
}
"""Conversion function for each slot. In other slots, strings are case-folded and other values are unchanged."""
