"""WorldTravel's answers <-> the rows of a plan."""
