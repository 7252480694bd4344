"""A city's pages as a site on which one books: what is booked is a trip, and a trip is an answer."""
