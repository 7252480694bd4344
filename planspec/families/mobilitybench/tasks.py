"""Writer of an episode's task: its givens, its tables, and its scope. The tables are read from a database."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from planspec.families.mobilitybench.episode import Episode, Scenario, ScenarioFamily
from planspec.families.mobilitybench.row_collector import EpisodeRows, rows_of_episode
from planspec.suite_writing.writing import mapping_lines, sql_literal, yaml_scalar

LIBRARY = "mobilitybench"
DEFAULTS: Mapping[str, Any] = {
    "no_tolls": False,
    "no_motorway": False,
    "time_tolerance": "0.05",
    "length_tolerance": "0.05",
    "detour": "0.5",
    "asked_where": False,
    "at_least": 1,
    "right_legs": 1,
    "early": "30min",
    "late": "5min",
}
"""Defaults of givens in the constraint library. Givens that default to *none* or empty are not listed."""
QUERIES: Mapping[str, str] = {
    "Place": "select id, names, addresses, x, y from Place",
    "Road": "select id, motorway from Road",
    "Line": "select id, names from Line",
    "Route": (
        "select id, origin, destination, time_min || 'min' as time, length_m || 'm' as length, depart, arrive, "
        "transfers, walking_m || 'm' as walking, tolls, fare, lights from Route"
    ),
    "Piece": ("select route, n, vehicle, road, line, time_min || 'min' as time, length_m || 'm' as length from Piece"),
    "Halt": "select route, n, place from Halt",
    "Weather": "select day, words, temperature, low, high from Weather",
}
"""SQL queries that read the tables from the database, by table."""
SPLIT = "\n"
"""Separator of the items of a set in the database."""
SET_COLUMNS = {"Place": ("names", "addresses"), "Line": ("names",), "Weather": ("words",)}
FIGURES = ("time", "length", "transfers", "lights", "tolls", "fare", "depart", "arrive", "possible")
"""Figures of a route that a user can request. Each is a column of the answer, with a given such as `right_time`."""
PLANNING = (ScenarioFamily.BASIC_PLANNING, ScenarioFamily.CONSTRAINED_PLANNING)


def scenario_word(scenario: Scenario) -> str:
    """Return the constraint library's word for a scenario, such as `point_to_point_planning`."""
    return "".join(c if c.isalnum() else "_" for c in scenario.value.lower())


def givens_of(episode: Episode) -> dict[str, str]:
    """Return an episode's givens as YAML strings by name, without those that have their default value."""
    givens = {"scenario": scenario_word(episode.scenario)}
    for name, value in episode.given.items():
        if name != "scenario" and value is not None and value != [] and not _is_default(name, value):
            givens[name] = _yaml_value(value)
    return givens


def task_text(episode: Episode, base: str, episode_rows: EpisodeRows | None = None) -> str:
    """Return the text of an episode's task.

    Args:
        episode: the episode with its givens.
        base: path of the SQLite file with the rows, as written in the task.
        episode_rows: rows of the episode; None to compute them.

    Raises:
        ValueError: a record does not fit its tool, or a given cannot be written as YAML.
    """
    episode_rows = episode_rows or rows_of_episode(episode)
    lines = [
        "planspec: task/1",
        f"id: {yaml_scalar(episode.id)}",
        f"title: {yaml_scalar(episode.scenario.value)}",
        f"uses: [{LIBRARY}]",
        *([f"currency: {episode.currency}"] if episode.currency else []),
        f"query: {yaml_scalar(episode.query)}",
        *mapping_lines("given", givens_of(episode)),
        "tables:",
    ]
    for table, query in QUERIES.items():
        where = f"{query} where episode = {sql_literal(episode.id)} order by at"
        lines += [f"  {table}:", f"    sqlite: {{file: {yaml_scalar(base)}, query: {yaml_scalar(where)}}}"]
        if table in SET_COLUMNS:
            split = ", ".join(f"{column}: {{split: {yaml_scalar(SPLIT)}}}" for column in SET_COLUMNS[table])
            lines.append(f"    map: {{{split}}}")
    lines += ["scope:", *scope_of(episode, episode_rows)]
    labels = {
        "family": episode.family.value,
        "scenario": episode.scenario.value,
        "language": episode.language,
        "city": episode.context.city,
    }
    lines += mapping_lines("meta", {name: yaml_scalar(value) for name, value in labels.items() if value is not None})
    return "\n".join(lines) + "\n"


def scope_of(episode: Episode, episode_rows: EpisodeRows) -> list[str]:
    """Return the lines of a task's scope, the set of plans that a solver searches.

    It consists of the recorded routes, or of answers composed from the tools' results.
    """
    given = episode.given
    fields: dict[str, str] = {}
    rows: list[str] = []
    match episode.scenario:
        case Scenario.POI_SEARCH | Scenario.GEOLOCATION:
            fields |= {"place": "Place"} if given.get("right_places") else {}
            fields |= {"where": "right_places"} if given.get("asked_where") else {}
            fields |= {"address": "right_address"} if given.get("right_address") else {}
        case Scenario.NEARBY_SEARCH if episode_rows.places:
            rows = ["  places:", "    - for: i in 1..at_least", "      n: i", "      place: Place"]
        case Scenario.WEATHER if given.get("weather_days"):
            rows = [
                "  days:",
                "    - for: d in weather_days if any(w.day == d for w in Weather)",
                "      day: d",
                "      weather: (w for w in Weather[d].words)",
            ]
        case Scenario.TRAFFIC:
            fields["level"] = "Level"
        case Scenario.ROUTE_PROPERTY | Scenario.TIME:
            fields |= {name: f"right_{name}" for name in FIGURES if given.get(f"right_{name}") is not None}
        case _ if episode.scenario.family in PLANNING and episode_rows.routes:
            rows = _leg_scope(episode)
    return [*(mapping_lines("answer", fields, "  ") or ["  answer: {}"]), *rows]


def _leg_scope(episode: Episode) -> list[str]:
    """Return the lines of the scope for legs: one route or, with n stops on the way, up to n + 1 routes."""
    via = episode.given.get("via")
    max_legs = 1 + (len(via) if isinstance(via, list) else 0)
    lines = ["  legs:", "    - n: 1", "      route: Route"]
    if max_legs > 1:
        lines += [
            f"    - for: i in 2..{max_legs}",
            "      n: i",
            "      route: Route",
            "      optional: true",
        ]
    return lines


def _is_default(name: str, value: Any) -> bool:
    default = DEFAULTS.get(name)
    if isinstance(default, str) and isinstance(value, int | float):
        return Decimal(default) == Decimal(str(value))
    return default is not None and value == default


def _yaml_value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return yaml_scalar(value)
        case int():
            return str(value)
        case float():
            return f"{Decimal(str(value)):f}"
        case list() | tuple():
            return f"[{', '.join(map(_yaml_value, value))}]"
        case _:
            raise ValueError(f"{value!r} is no data of a given")
