"""Random generation of user requests in a city: values that fit its map, and additional tool calls to record."""

from planspec.families.mobilitybench.drawing.decoys import decoy_calls
from planspec.families.mobilitybench.drawing.draft import RequestDraft, UndrawableRequestError
from planspec.families.mobilitybench.drawing.lookups import draw_lookup
from planspec.families.mobilitybench.drawing.scene import Scene, Town
from planspec.families.mobilitybench.drawing.trips import draw_trip
from planspec.families.mobilitybench.drawing.wishes import draw_wished
from planspec.families.mobilitybench.episode import Scenario, ScenarioFamily

__all__ = ["RequestDraft", "Scene", "Town", "UndrawableRequestError", "decoy_calls", "draw"]


def draw(scenario: Scenario, scene: Scene) -> RequestDraft:
    """Draw a user's request for a scenario.

    Raises:
        UndrawableRequestError: the draw does not fit the map. Another draw may fit.
    """
    match scenario.family:
        case ScenarioFamily.BASIC_INFORMATION:
            return draw_lookup(scenario, scene)
        case ScenarioFamily.CONSTRAINED_PLANNING:
            return draw_wished(scenario, scene)
        case _:
            return draw_trip(scenario, scene)
