"""VeriTrip, as planspec knows it."""

from planspec.families.family import Family, Lazy

FAMILY = Family(
    name="veritrip",
    title="VeriTrip",
    format=Lazy("planspec.families.veritrip.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.veritrip.verdict_metrics:VeriTripMetrics"),
    checks=Lazy("planspec.families.veritrip.facts_check.cells:check_answer"),
    verdict=Lazy("planspec.families.veritrip.facts_check.verdict:FactVerdict"),
    visits="itinerary",
)
