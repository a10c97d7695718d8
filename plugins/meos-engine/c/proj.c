/*
 * What MEOS needs of PROJ without PROJ: the ellipsoid and kind of a reference system.
 *
 * Geodetic functions ask for a transform of a system into itself and read its ellipsoid. A definition here is
 * `+proj=KIND +a=METRES +b=METRES`, made at build time from the SRID table and PROJ's own list of ellipsoids. Every
 * other transform is refused with a reason.
 */
#include "engine.h"

#include <proj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MEOS_ERR_FEATURE_NOT_SUPPORTED of MEOS' errorCode. */
#define NOT_SUPPORTED 3

struct PJconsts
{
  PJ_TYPE type;
  double a;
  double b;
};

static _Noreturn void refuse(void)
{
  abi_mcp_refuse(NOT_SUPPORTED, "transforms between reference systems need PROJ, which is not part of this engine");
}

char *abi_mcp_reference_system(int32_t srid)
{
  uint32_t low = 0, high = abi_mcp_srid_count;
  while (low < high)
  {
    uint32_t middle = low + (high - low) / 2;
    const abi_mcp_srid *entry = &abi_mcp_srids[middle];
    if (entry->srid == srid)
      return strdup(abi_mcp_definitions[entry->definition]);
    if (entry->srid < srid)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static PJ *copy(const PJ *pj)
{
  PJ *made = malloc(sizeof(PJ));
  *made = *pj;
  return made;
}

PJ_CONTEXT *proj_context_create(void)
{
  return NULL;
}

PJ_CONTEXT *proj_context_destroy(PJ_CONTEXT *context)
{
  return context;
}

PJ *proj_create_crs_to_crs(PJ_CONTEXT *context, const char *from, const char *to, PJ_AREA *area)
{
  (void) context, (void) area;
  if (from[0] != '+' || to[0] != '+' || strcmp(from, to) != 0)
    refuse();
  char kind[16];
  PJ pj = {0};
  if (sscanf(from, "+proj=%15s +a=%lf +b=%lf", kind, &pj.a, &pj.b) != 3)
    refuse();
  if (strcmp(kind, "longlat") == 0)
    pj.type = PJ_TYPE_GEOGRAPHIC_2D_CRS;
  else if (strcmp(kind, "geocent") == 0)
    pj.type = PJ_TYPE_GEOCENTRIC_CRS;
  else
    pj.type = PJ_TYPE_PROJECTED_CRS;
  return copy(&pj);
}

PJ *proj_create(PJ_CONTEXT *context, const char *definition)
{
  (void) context, (void) definition;
  refuse();
}

PJ *proj_destroy(PJ *pj)
{
  free(pj);
  return NULL;
}

PJ_TYPE proj_get_type(const PJ *pj)
{
  return pj->type;
}

PJ *proj_get_source_crs(PJ_CONTEXT *context, const PJ *pj)
{
  (void) context;
  return copy(pj);
}

PJ *proj_get_ellipsoid(PJ_CONTEXT *context, const PJ *pj)
{
  (void) context;
  return copy(pj);
}

int proj_ellipsoid_get_parameters(PJ_CONTEXT *context, const PJ *ellipsoid, double *a, double *b, int *b_computed,
  double *inverse_flattening)
{
  (void) context;
  if (a != NULL)
    *a = ellipsoid->a;
  if (b != NULL)
    *b = ellipsoid->b;
  if (b_computed != NULL)
    *b_computed = 0;
  if (inverse_flattening != NULL)
    *inverse_flattening = ellipsoid->a == ellipsoid->b ? 0 : ellipsoid->a / (ellipsoid->a - ellipsoid->b);
  return 1;
}

PJ *proj_normalize_for_visualization(PJ_CONTEXT *context, const PJ *pj)
{
  (void) context;
  return (PJ *) pj;
}

int proj_is_crs(const PJ *pj)
{
  (void) pj;
  return 1;
}

/* Only a system into itself gets here: nothing moves. */
PJ_COORD proj_trans(PJ *pj, PJ_DIRECTION direction, PJ_COORD coordinate)
{
  (void) pj, (void) direction;
  return coordinate;
}

size_t proj_trans_generic(PJ *pj, PJ_DIRECTION direction, double *x, size_t sx, size_t nx, double *y, size_t sy,
  size_t ny, double *z, size_t sz, size_t nz, double *t, size_t st, size_t nt)
{
  (void) pj, (void) direction, (void) x, (void) sx, (void) y, (void) sy, (void) ny, (void) z, (void) sz, (void) nz;
  (void) t, (void) st, (void) nt;
  return nx;
}

int proj_angular_input(PJ *pj, PJ_DIRECTION direction)
{
  (void) pj, (void) direction;
  return 0;
}

int proj_angular_output(PJ *pj, PJ_DIRECTION direction)
{
  (void) pj, (void) direction;
  return 0;
}

int proj_errno_reset(const PJ *pj)
{
  (void) pj;
  return 0;
}

const char *proj_errno_string(int code)
{
  (void) code;
  return "no error";
}

PJ_INFO proj_info(void)
{
  PJ_INFO info = {0};
  info.release = "none";
  info.version = "none";
  return info;
}
