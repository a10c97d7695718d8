extern Temporal *trgeometry_in(const char *str);
