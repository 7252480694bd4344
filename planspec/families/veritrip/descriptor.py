"""Parts of the VeriTrip family that planspec loads: format, metrics, settings, importer, generator and planner."""

from planspec.family.descriptor import Family, Lazy

FAMILY = Family(
    name="veritrip",
    title="VeriTrip",
    format=Lazy("planspec.families.veritrip.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.veritrip.verdict_metrics:VeriTripMetrics"),
    checks=Lazy("planspec.families.veritrip.facts_check.cells:check_answer"),
    verdict=Lazy("planspec.families.veritrip.facts_check.verdict:FactVerdict"),
    parts={
        "route_tables": ("itinerary", "accommodation"),
        "evidence": ("Statement",),
        "settings": Lazy("planspec.families.veritrip.environment.environment:SETTINGS"),
        "greedy": Lazy("planspec.families.veritrip.greedy_planner:plan"),
        "perform": Lazy("planspec.families.veritrip.demonstration:perform_answer"),
        "better": Lazy("planspec.families.veritrip.plan_improvement:improve_solution"),
        "importers": {"veritrip": Lazy("planspec.families.veritrip.commands:import_suite")},
        "generators": {"veritrip": Lazy("planspec.families.veritrip.commands:generate_suite")},
        "run_tables": Lazy("planspec.families.veritrip.levels:tables"),
        "schemas": {"output/generate": Lazy("planspec.families.veritrip.outputs:GenerateOutput")},
        "inspect_suite": "veritrip",
        "inspect_setting": "facts",  # the other settings need a generated corpus
    },
)
