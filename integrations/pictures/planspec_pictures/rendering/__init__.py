"""A small renderer: solids of triangles, light, weather and a lens; Embree traces the rays."""
