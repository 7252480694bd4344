"""Tables of HiMAP-Travel's paper (Bui et al., 2026), computed from the records of a run by any agent."""

from planspec.families.travelplanner.tables.plans import budget_by_day, cities, complexity, failures, rules, tiers
from planspec.families.travelplanner.tables.rounds import adaptation, convergence, latency
from planspec.families.travelplanner.tables.trips import trips_of
from planspec.scores.attempts import AttemptedRun
from planspec.scores.record import RunTable

TABLES = (budget_by_day, complexity, tiers, rules, latency, convergence, adaptation, cities, failures)


def tables(run: AttemptedRun) -> tuple[RunTable, ...]:
    """Return the tables of a run. Tables about HiMAP's rounds have no rows if the agent is not `himap`."""
    trips = trips_of(run)
    return tuple(make(trips) for make in TABLES)


__all__ = ["tables"]
