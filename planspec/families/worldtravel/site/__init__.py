"""Booking website made of a city's pages. The bookings of a session form a trip, which is judged as an answer."""
