"""A complete family in its own distribution, and a suite of one task, as a third party would write them."""
