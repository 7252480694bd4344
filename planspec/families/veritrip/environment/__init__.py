"""VeriTrip's environment: the texts and tools that agents get."""
