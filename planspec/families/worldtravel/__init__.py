"""The WorldTravel benchmark: agents plan trips through a city with tools or web pages."""
