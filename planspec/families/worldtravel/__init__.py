"""WorldTravel."""
