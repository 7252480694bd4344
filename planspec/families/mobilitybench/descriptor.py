"""MobilityBench, as planspec knows it."""

from planspec.families.family import Family, Lazy

FAMILY = Family(
    name="mobilitybench",
    title="MobilityBench",
    format=Lazy("planspec.families.mobilitybench.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.mobilitybench.verdict_metrics:MobilityBenchMetrics"),
    trace_metrics=Lazy("planspec.families.mobilitybench.metrics.trace_metrics:TRACE_METRICS"),
)
