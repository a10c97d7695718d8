/*
 * Time zone files from memory.
 *
 * Stands in for the one function by which MEOS' PostgreSQL part opens a zone file, and for the `read` and `close` it
 * then uses (renamed when localtime.c is compiled). One file is open at a time.
 */
#include "engine.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Any number that is no error. */
#define DESCRIPTOR 3

static const abi_mcp_zone *open_zone;
static uint32_t position;

/* The zone of that name; the table is sorted without regard to letter case. */
static const abi_mcp_zone *find(const char *name)
{
  uint32_t low = 0, high = abi_mcp_zone_count;
  while (low < high)
  {
    uint32_t middle = low + (high - low) / 2;
    int order = strcasecmp(abi_mcp_zones[middle].name, name);
    if (order == 0)
      return &abi_mcp_zones[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

int pg_open_tzfile(const char *name, char *canonical)
{
  const abi_mcp_zone *zone = find(name);
  if (zone == NULL)
    return -1;
  if (canonical != NULL)
    strcpy(canonical, zone->name);
  open_zone = zone;
  position = 0;
  return DESCRIPTOR;
}

long abi_mcp_zone_read(int descriptor, void *out, size_t length)
{
  (void) descriptor;
  uint32_t left = open_zone->length - position;
  uint32_t taken = length < left ? (uint32_t) length : left;
  memcpy(out, open_zone->bytes + position, taken);
  position += taken;
  return (long) taken;
}

int abi_mcp_zone_close(int descriptor)
{
  (void) descriptor;
  open_zone = NULL;
  return 0;
}
