"""The public sample: 58 of its 115 episodes."""

import json
from collections import Counter
from pathlib import Path

import pytest

from planspec.mobilitybench.episode import Episode
from planspec.mobilitybench.public.table import EPISODES, OFFICIAL, import_episodes, read_official
from tests.paths import SHARED

TABLE = SHARED / "data" / "mobilitybench" / "sample_dev.csv"
pytestmark = pytest.mark.skipif(not TABLE.is_file(), reason="the public sample of MobilityBench is not here")


def test_the_public_sample_is_imported_with_its_losses(tmp_path: Path) -> None:
    report = import_episodes(TABLE, tmp_path)
    assert (report.episodes.read, report.episodes.kept, report.left_out) == (58, 58, [])
    assert (report.absent, report.unknown) == ((), ())
    assert all(table.adds_up for table in report.tables)
    assert [(one.row, one.column) for one in report.cells if one.lost] == [
        (row, "route_ans") for row in (5, 18, 19, 25, 30, 49, 51, 53)
    ]
    noted = Counter({one.table: one.noted.total() for one in report.tables})
    assert +noted == {"poi_result": 13, "near_poi_ans": 5, "weather": 5, "route_ans": 4}
    lines = (tmp_path / EPISODES).read_text("utf-8").splitlines()
    episodes = [Episode.model_validate(json.loads(line)) for line in lines]

    assert all(episode.checksum == episode.computed for episode in episodes)
    records = [record for episode in episodes for record in episode.snapshot]
    assert all(record.call is not None for record in records)
    assert Counter(record.missing for record in records) == {
        None: len(records) - 13,
        "truncated": 8,
        "no column": 5,
    }
    assert [truth.case for truth in read_official(tmp_path / OFFICIAL)] == [
        episode.id for episode in episodes
    ]
