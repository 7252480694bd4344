"""Parts of the WorldTravel family that planspec loads: format, metrics, settings, importer, generators and planner."""

from planspec.family.descriptor import Family, Lazy

FAMILY = Family(
    name="worldtravel",
    title="WorldTravel",
    format=Lazy("planspec.families.worldtravel.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.worldtravel.verdict_metrics:WorldTravelMetrics"),
    parts={
        "settings": Lazy("planspec.families.worldtravel.settings:SETTINGS"),
        "greedy": Lazy("planspec.families.worldtravel.greedy_planner:plan"),
        "importers": {"worldtravel": Lazy("planspec.families.worldtravel.commands:import_suite")},
        "generators": {
            "worldtravel": Lazy("planspec.families.worldtravel.commands:generate_suite"),
            "webscape": Lazy("planspec.families.worldtravel.commands:generate_pages"),
        },
        "counts": {"days": "trip"},
        "site": Lazy("planspec.families.worldtravel.site.serving:suite_site"),
        "inspect_suite": "worldtravel",
        "run_tables": Lazy("planspec.families.worldtravel.categories:tables"),
        "schemas": {
            "output/generate": Lazy("planspec.families.worldtravel.outputs:GenerateOutput"),
            "output/generate-pages": Lazy("planspec.families.worldtravel.outputs:GeneratePagesOutput"),
            "page-fact": Lazy("planspec.families.worldtravel.outputs:PageFact"),
            "page-look": Lazy("planspec.families.worldtravel.outputs:PageLook"),
        },
    },
)
