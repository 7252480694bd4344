"""Parts of the families TravelPlanner and FlexTravelBench that planspec loads: formats, metrics, importers, agents.

FlexTravelBench's conversations are made from TravelPlanner's queries.
"""

from planspec.family.descriptor import Family, Lazy

FAMILY = Family(
    name="travelplanner",
    title="TravelPlanner",
    format=Lazy("planspec.families.travelplanner.format.codec:FORMAT"),
    metrics=Lazy("planspec.families.travelplanner.verdict_metrics:TravelPlannerMetrics"),
    official=Lazy("planspec.families.travelplanner.official.profile:TravelPlannerOfficial"),
    parts={
        "greedy": Lazy("planspec.families.travelplanner.greedy_planner:plan"),
        "submission": Lazy("planspec.families.travelplanner.submission:SUBMISSION"),
        "agents": {"himap": Lazy("planspec.families.travelplanner.himap:HiMAP")},
        "monitor_calls": {
            "get_remaining_nights": Lazy("planspec.families.travelplanner.nights:remaining_nights"),
            "is_final_accommodation_day": Lazy("planspec.families.travelplanner.nights:is_final_accommodation_day"),
        },
        "refusal_codes": {"is_valid_transportation": "MODE_CONFLICT"},
        "importers": {"travelplanner": Lazy("planspec.families.travelplanner.commands:import_suite")},
        "credit": Lazy("planspec.families.travelplanner.himap.credit:credit"),
        "measures": Lazy("planspec.families.travelplanner.tables.measures:MEASURES"),
        "run_tables": Lazy("planspec.families.travelplanner.tables:tables"),
        "schemas": {"himap-note": Lazy("planspec.families.travelplanner.himap.note:Note")},
        "counts": {"days": "trip"},
        "inspect_suite": "travelplanner-small",
    },
)
CONVERSATIONS = Family(
    name="flextravel",
    title="FlexTravelBench",
    format=FAMILY.format,
    metrics=Lazy("planspec.families.travelplanner.conversation_metrics:FlexTravelMetrics"),
    parts={
        "greedy": FAMILY.parts["greedy"],
        "importers": {"flextravel": Lazy("planspec.families.travelplanner.commands:import_conversations")},
        "credit": FAMILY.parts["credit"],
        "measures": FAMILY.parts["measures"],
        "run_tables": FAMILY.parts["run_tables"],
        "counts": FAMILY.parts["counts"],
    },
)
