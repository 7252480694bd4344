"""VeriTrip: the fact base, the corpus that is made of it, and the tools by which agents read the corpus."""

from planspec.families.veritrip.opening import open_tools

__all__ = ["open_tools"]
