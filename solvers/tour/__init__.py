"""Exact shortest closed tours and open paths."""

from planspec.solvers.tour.ladder import shortest
from planspec.solvers.tour.outcome import Tour, TourInputError

__all__ = ["Tour", "TourInputError", "shortest"]
