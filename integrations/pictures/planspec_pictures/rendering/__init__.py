"""A small renderer: solids of triangles, light, weather and a lens; rays are followed by Embree."""
