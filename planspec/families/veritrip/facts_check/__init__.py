"""VeriTrip's cells of facts, compared with the fact base."""
