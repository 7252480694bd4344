"""Exact search for shortest closed tours and open paths (the travelling salesman problem)."""

from planspec.errors import TourInputError
from planspec.extras import needing

with needing("solve", "tours need an extra"):
    from planspec.solvers.tour.ladder import shortest
    from planspec.solvers.tour.outcome import Tour

__all__ = ["Tour", "TourInputError", "shortest"]
