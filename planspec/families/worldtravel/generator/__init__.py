"""Generator of WorldTravel suites from handwritten cities. Each task has exactly one solution."""
