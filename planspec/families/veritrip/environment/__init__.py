"""What agents see and may call in VeriTrip."""
