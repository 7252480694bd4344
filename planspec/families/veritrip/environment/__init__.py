"""VeriTrip's environment: the texts and tools for agents."""
