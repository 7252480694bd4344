"""Errands: a choice of shops to visit, and their total price."""

from planspec.family.descriptor import Family, Lazy

FAMILY = Family(
    name="tiny",
    title="Errands",
    format=Lazy("tiny_family.answers:FORMAT"),
    metrics=Lazy("tiny_family.metrics:ErrandMetrics"),
    official=Lazy("tiny_family.official:AnyErrand"),
    parts={
        "settings": Lazy("tiny_family.settings:SETTINGS"),
        "agents": {"homebody": Lazy("tiny_family.settings:Homebody")},
    },
)
