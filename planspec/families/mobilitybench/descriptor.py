"""What planspec knows of MobilityBench."""

from planspec.families.family import Family, Lazy

FAMILY = Family(
    name="mobilitybench",
    title="MobilityBench",
    format=Lazy("planspec.families.mobilitybench.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.mobilitybench.verdict_metrics:MobilityBenchMetrics"),
)
