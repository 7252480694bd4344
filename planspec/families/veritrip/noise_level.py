"""Default amount of noise (documents that contradict facts) in a generated corpus."""

NOISE = 0.5
"""Share of the attractions, hotels and timetable pages whose facts are contradicted by documents."""
