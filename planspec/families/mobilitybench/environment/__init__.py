"""What agents see and may call in MobilityBench."""
