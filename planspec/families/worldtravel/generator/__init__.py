"""The generator of WorldTravel's tasks: from a city that somebody wrote by hand to a suite whose every task has one solution."""
