"""Default noise of a corpus."""

NOISE = 0.5
"""Share of the attractions, hotels and timetable pages whose facts are contradicted by documents."""
