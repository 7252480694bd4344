"""From a checked task to witnesses and proofs."""
