"""The benchmark WorldTravel: trips through a city by tools or web pages."""
