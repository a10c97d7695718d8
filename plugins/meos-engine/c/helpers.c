/*
 * Functions MEOS has inside and not in its headers, under the names its own customs would give them.
 *
 * `helpers.h` is also read by the catalog: what is declared there is offered to the mapper as a codec.
 */
#include <meos.h>
#include <meos_internal.h>
#include <rgeo/trgeo_parser.h>
#include "helpers.h"

/* A rigid geometry from text, `Polygon((..));[Pose(Point(1 1), 0.5)@2001-01-01]`: its type has no `_in` of its own. */
Temporal *trgeometry_in(const char *str)
{
  return trgeo_parse(&str, T_TRGEOMETRY);
}
