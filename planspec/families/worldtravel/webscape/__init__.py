"""The Webscape: a city's world as web pages for the eye, with a record of the facts on each page."""
