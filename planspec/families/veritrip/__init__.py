"""VeriTrip: the fact base, the corpus generated from it, and the tools with which agents read the corpus."""

TYPE_CHECKING = False  # the family's descriptor is imported through this package, so nothing else is loaded
if TYPE_CHECKING:
    from planspec.families.veritrip.opening import open_tools

__all__ = ["open_tools"]


def __getattr__(name: str) -> object:
    if name != "open_tools":
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from planspec.families.veritrip.opening import open_tools

    return open_tools
