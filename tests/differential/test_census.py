"""Random tasks use the whole language: every count in the census is positive."""

import pytest

from tests.differential.census import TASKS, census


@pytest.mark.thorough
def test_every_kind_of_node_and_every_corner_occurs() -> None:
    """`python -m tests.differential.census` prints the counts."""
    counts = census(TASKS)
    refused = counts.pop("refused")
    assert refused <= TASKS // 20
    assert [name for name, count in counts.items() if count == 0] == []
