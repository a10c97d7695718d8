/*
 * The border between MEOS and the engine's Rust half.
 *
 * Rust passes arguments and takes results in slots, calls through `abi_mcp_call`, which comes back whatever MEOS
 * does, and reads the generated table of functions. Nothing else of C is visible to it.
 */
#ifndef ABI_MCP_ENGINE_H
#define ABI_MCP_ENGINE_H

#include <stdint.h>

/* One C value of any type MEOS' public functions take or return. */
typedef union
{
  int64_t integer;
  double number;
  void *pointer;
} abi_mcp_slot;

typedef void (*abi_mcp_trampoline)(const abi_mcp_slot *arguments, abi_mcp_slot *result);

/* One callable function. `signature` is the result's kind, then one for each parameter; see `signature.rs`. */
typedef struct
{
  const char *name;
  const char *signature;
  abi_mcp_trampoline call;
} abi_mcp_function;

/* Sorted by name (bytes). Generated from the headers that are compiled. */
extern const abi_mcp_function abi_mcp_functions[];
extern const uint32_t abi_mcp_function_count;

/* Structures of fixed size, as signatures name them. Generated. */
typedef struct
{
  const char *name;
  uint32_t size;
} abi_mcp_structure;

extern const abi_mcp_structure abi_mcp_structures[];
extern const uint32_t abi_mcp_structure_count;

/* MEOS' error codes by name, in any order. Generated. */
typedef struct
{
  const char *name;
  int32_t code;
} abi_mcp_error_name;

extern const abi_mcp_error_name abi_mcp_errors[];
extern const uint32_t abi_mcp_error_count;

/* How a guarded call ended. */
enum
{
  ABI_MCP_RETURNED = 0, /* the function came back */
  ABI_MCP_REFUSED = 1,  /* MEOS reported an error; code and text say which */
  ABI_MCP_EXITED = 2    /* it wanted to end the process; the text is what it wrote last */
};

/* Runs a trampoline; errors and exits inside it end here. Not reentrant. */
int32_t abi_mcp_call(abi_mcp_trampoline call, const abi_mcp_slot *arguments, abi_mcp_slot *result);

/* The code and words of the last call that did not return. */
int32_t abi_mcp_failure_code(void);
const char *abi_mcp_failure_text(void);

/* Sets MEOS up: error handler, zone UTC. Call once, before anything else. Answers as `abi_mcp_call`. */
int32_t abi_mcp_start(void);

/* MEOS' own release, such as `1.3.0rc1`; whether GEOS was linked. */
extern const char *const abi_mcp_release;
extern const int32_t abi_mcp_has_geos;

/* Inside C: ends the guarded call. */
_Noreturn void abi_mcp_refuse(int32_t code, const char *text);

/* A time zone's compiled file; NULL when there is none of that name (letter case counts for nothing). Generated data. */
typedef struct
{
  const char *name;
  const unsigned char *bytes;
  uint32_t length;
} abi_mcp_zone;

extern const abi_mcp_zone abi_mcp_zones[];
extern const uint32_t abi_mcp_zone_count;

/* Reference systems, sorted by SRID: what MEOS asks PROJ about one. Generated from spatial_ref_sys.csv. */
typedef struct
{
  int32_t srid;
  uint16_t definition;
} abi_mcp_srid;

extern const abi_mcp_srid abi_mcp_srids[];
extern const uint32_t abi_mcp_srid_count;
extern const char *const abi_mcp_definitions[];

/* A fresh copy of an SRID's definition, or NULL. */
char *abi_mcp_reference_system(int32_t srid);

#endif
