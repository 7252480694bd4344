"""Webscape: web pages of a city that show many facts only visually, with a record of the facts on each page."""
