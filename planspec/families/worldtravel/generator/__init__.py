"""Generator of WorldTravel's tasks: from a handwritten city to a suite in which every task has one solution."""
