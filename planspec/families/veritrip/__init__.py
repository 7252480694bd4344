"""VeriTrip: agents plan trips from a corpus of documents and pictures, which is generated from a fact base."""

TYPE_CHECKING = False  # importing the family's descriptor runs this file, so it imports little
if TYPE_CHECKING:
    from planspec.families.veritrip.opening import open_tools

__all__ = ["open_tools"]


def __getattr__(name: str) -> object:
    if name != "open_tools":
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from planspec.families.veritrip.opening import open_tools

    return open_tools
