"""MobilityBench: a map, tools over it, their recording and replay, and episodes that ask about it."""
