"""The Webscape: a city's world as pages to look at, each with a record of its facts."""
