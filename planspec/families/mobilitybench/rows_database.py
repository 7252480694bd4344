"""Writer of a suite's SQLite database. It holds the rows of all episodes, with the episode's id in each row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from planspec.families.mobilitybench.row_collector import EpisodeRows
from planspec.families.mobilitybench.tasks import SPLIT

EPISODES_PER_COMMIT = 1000
"""Number of episodes after which the writer commits."""
COLUMNS: dict[str, str] = {
    "Place": "id text not null, names text, addresses text, x integer, y integer",
    "Road": "id text not null, motorway text not null",
    "Line": "id text not null, names text",
    "Route": (
        "id text not null, origin text, destination text, time_min integer not null, length_m integer not null, "
        "depart text, arrive text, transfers integer not null, walking_m integer not null, tolls integer not null, "
        "fare integer not null, lights integer not null"
    ),
    "Piece": (
        "route text not null, n integer not null, vehicle text not null, road text, line text, "
        "time_min integer not null, length_m integer not null"
    ),
    "Halt": "route text not null, n integer not null, place text not null",
    "Weather": "day text not null, words text, temperature integer, low integer, high integer",
}
"""Columns of each table of the database, in the order of `EpisodeRows`."""


class RowsDatabase:
    """Writer of a new database. The database is complete once the writer is closed.

    Args:
        path: path of the file, which must not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._base = sqlite3.connect(path)
        self._open = True
        self._count = 0
        # no journal is needed, since the file of an interrupted run is discarded
        self._base.execute("pragma journal_mode = off")
        self._base.execute("pragma synchronous = off")
        for table, columns in COLUMNS.items():
            self._base.execute(
                f"create table {table} (episode text, at integer, {columns}, primary key (episode, at)) without rowid"
            )
        self._base.execute("create table Episode (id text primary key) without rowid")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, episode: str, episode_rows: EpisodeRows) -> None:
        """Write the rows of an episode.

        Raises:
            ValueError: the database already has an episode with this id.
        """
        try:
            self._base.execute("insert into Episode values (?)", (episode,))
        except sqlite3.IntegrityError:
            raise ValueError(f"two episodes are called `{episode}`") from None
        for table, rows in _table_rows(episode_rows):
            self._insert(table, episode, rows)
        self._count += 1
        if self._count % EPISODES_PER_COMMIT == 0:
            self.commit()

    def commit(self) -> None:
        """Commit, so that other connections can read the rows written so far."""
        self._base.commit()

    def close(self) -> None:
        """Commit and close the database. Further calls do nothing."""
        if self._open:
            self._open = False
            self._base.commit()
            self._base.close()

    def _insert(self, table: str, episode: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            holes = ", ".join("?" * (len(rows[0]) + 2))
            self._base.executemany(
                f"insert into {table} values ({holes})",  # noqa: S608
                [(episode, at, *row) for at, row in enumerate(rows)],
            )


def _table_rows(episode_rows: EpisodeRows) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    tables: tuple[Sequence[Any], ...] = (
        episode_rows.places,
        episode_rows.roads,
        episode_rows.lines,
        episode_rows.routes,
        episode_rows.pieces,
        episode_rows.halts,
        episode_rows.weather,
    )
    for table, rows in zip(COLUMNS, tables, strict=True):
        yield table, [tuple(_database_value(getattr(row, name)) for name in row.__slots__) for row in rows]


def _database_value(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return SPLIT.join(" ".join(item.split()) for item in value) if isinstance(value, tuple) else value
