"""The family `tiny`: errands that visit some shops at a total price."""

from planspec.families.family import Family, Lazy

FAMILY = Family(
    name="tiny",
    title="Errands",
    format=Lazy("tiny_family.answers:FORMAT"),
    metrics=Lazy("tiny_family.metrics:ErrandMetrics"),
    official=Lazy("tiny_family.official:NonEmptyErrandOfficial"),
    settings=Lazy("tiny_family.settings:SETTINGS"),
    tool_calls=3,
    agents={"homebody": Lazy("tiny_family.settings:Homebody")},
)
