"""Generator that turns a handwritten city into a WorldTravel suite whose tasks have one solution."""
