"""The family `tiny`: errands that visit some shops at a total price."""

from planspec.family.descriptor import Family, Lazy

FAMILY = Family(
    name="tiny",
    title="Errands",
    format=Lazy("tiny_family.answers:FORMAT"),
    metrics=Lazy("tiny_family.metrics:ErrandMetrics"),
    official=Lazy("tiny_family.official:NonEmptyErrandOfficial"),
    parts={
        "settings": Lazy("tiny_family.settings:SETTINGS"),
        "agents": {"homebody": Lazy("tiny_family.settings:Homebody")},
    },
)
