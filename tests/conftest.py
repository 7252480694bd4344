"""Settings for every test: how hard Hypothesis searches."""

import gc

from hypothesis import settings

# A run must give the same result on every machine, so the default draws the same examples each time and has no
# deadline. Looking for new failures is a separate act: `make deep`.
settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("deep", derandomize=False, deadline=None, print_blob=True, max_examples=2_000)
settings.load_profile("steady")


def pytest_collection_finish() -> None:
    """Take what was collected out of the garbage collector's sight: it stays to the end, and looking at it slows every test."""
    gc.collect()
    gc.freeze()
