"""How noisy a corpus is where nobody says."""

NOISE = 0.5
"""The share of the attractions, hotels and pages of the timetable of which documents contradict facts."""
