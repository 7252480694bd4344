"""A city's pages as a booking site: bookings form a trip, and a trip is an answer."""
