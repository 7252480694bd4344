"""VeriTrip: trips that agents plan from a corpus of documents and pictures, generated from a base of facts."""

TYPE_CHECKING = False  # the family's descriptor is imported through this package, so nothing else is loaded
if TYPE_CHECKING:
    from planspec.families.veritrip.opening import open_tools

__all__ = ["open_tools"]


def __getattr__(name: str) -> object:
    if name != "open_tools":
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from planspec.families.veritrip.opening import open_tools

    return open_tools
