"""The Webscape: a city's world as pages that have to be looked at, each with a record of the facts that it tells."""
