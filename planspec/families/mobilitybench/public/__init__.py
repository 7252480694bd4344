"""The public table of MobilityBench and the files of its toolkit, read as they are."""
