"""Parts of the MobilityBench family that planspec loads: format, metrics, settings, importers and generator."""

from planspec.family.descriptor import Family, Lazy

FAMILY = Family(
    name="mobilitybench",
    title="MobilityBench",
    format=Lazy("planspec.families.mobilitybench.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.mobilitybench.verdict_metrics:MobilityBenchMetrics"),
    parts={
        "trace_metrics": Lazy("planspec.families.mobilitybench.metrics.trace_metrics:TRACE_METRICS"),
        "settings": Lazy("planspec.families.mobilitybench.environment.environment:SETTINGS"),
        "trace_form": Lazy("planspec.families.mobilitybench.traces_reading:trace_of_toolkit"),
        "greedy": Lazy("planspec.families.mobilitybench.greedy_planner:plan"),
        "submission": Lazy("planspec.families.mobilitybench.submission:SUBMISSION"),
        "table": Lazy("planspec.families.mobilitybench.public.exporting:write_table"),
        "perform": Lazy("planspec.families.mobilitybench.reference:perform_standard_program"),
        "importers": {
            "mobilitybench": Lazy("planspec.families.mobilitybench.commands:import_suite"),
            "osm": Lazy("planspec.families.mobilitybench.commands:import_map"),
        },
        "generators": {"mobilitybench": Lazy("planspec.families.mobilitybench.commands:generate_suite")},
        "schemas": {
            "episode": Lazy("planspec.families.mobilitybench.episode:Episode"),
            "output/generate-episodes": Lazy("planspec.families.mobilitybench.outputs:GenerateEpisodesOutput"),
        },
        "inspect_suite": "mobilitybench",
    },
)
