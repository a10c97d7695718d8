/*
 * The system below libc, for a component that has none: no import is left.
 *
 * Comes in: the WASI preview 1 calls libc makes. There are no files, no arguments, no environment; the clock
 * stands, and random bytes are always the same, so that a call's result depends on its arguments alone.
 * What is written goes to `abi_mcp_keep_written`.
 */
#include "engine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern void abi_mcp_keep_written(const char *bytes, size_t length);

/* WASI preview 1 error numbers. */
#define SUCCESS 0
#define BAD_DESCRIPTOR 8
#define NOT_SUPPORTED 58

/* MEOS_ERR_FEATURE_NOT_SUPPORTED of MEOS' errorCode. */
#define FEATURE_NOT_SUPPORTED 13

/* 2000-01-01T00:00:00Z in nanoseconds since 1970. Asked for where any day will do, such as for the offset of UTC. */
#define NOW 946684800000000000

#define SYSTEM(name) __imported_wasi_snapshot_preview1_##name

typedef struct
{
  const char *bytes;
  uint32_t length;
} piece;

int32_t SYSTEM(args_get)(int32_t a, int32_t b)
{
  (void) a, (void) b;
  return SUCCESS;
}

int32_t SYSTEM(args_sizes_get)(int32_t count, int32_t size)
{
  *(uint32_t *) count = 0;
  *(uint32_t *) size = 0;
  return SUCCESS;
}

int32_t SYSTEM(environ_get)(int32_t a, int32_t b)
{
  (void) a, (void) b;
  return SUCCESS;
}

int32_t SYSTEM(environ_sizes_get)(int32_t count, int32_t size)
{
  *(uint32_t *) count = 0;
  *(uint32_t *) size = 0;
  return SUCCESS;
}

int32_t SYSTEM(clock_res_get)(int32_t clock, int32_t out)
{
  (void) clock;
  *(uint64_t *) out = 1;
  return SUCCESS;
}

int32_t SYSTEM(clock_time_get)(int32_t clock, int64_t precision, int32_t out)
{
  (void) clock, (void) precision;
  *(uint64_t *) out = NOW;
  return SUCCESS;
}

/* Called where a text says `now` or `today`: a made-up time would be a wrong answer. */
_Noreturn void abi_mcp_no_clock(void)
{
  abi_mcp_refuse(FEATURE_NOT_SUPPORTED,
    "this engine has no clock: write the date or time out instead of `now` or `today`");
}

int32_t SYSTEM(random_get)(int32_t out, int32_t length)
{
  memset((void *) out, 0x2a, (size_t) length);
  return SUCCESS;
}

int32_t SYSTEM(fd_write)(int32_t descriptor, int32_t pieces, int32_t count, int32_t out)
{
  if (descriptor != 1 && descriptor != 2)
    return BAD_DESCRIPTOR;
  uint32_t total = 0;
  for (int32_t i = 0; i < count; i++)
  {
    const piece *one = &((const piece *) pieces)[i];
    abi_mcp_keep_written(one->bytes, one->length);
    total += one->length;
  }
  *(uint32_t *) out = total;
  return SUCCESS;
}

int32_t SYSTEM(fd_close)(int32_t a)
{
  (void) a;
  return BAD_DESCRIPTOR;
}

/* Zig's own half of libc calls it by a name of its own. */
int32_t abi_mcp_fd_close(int32_t a) __asm__("fd_close|wasi_snapshot_preview1");

int32_t abi_mcp_fd_close(int32_t a)
{
  (void) a;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_fdstat_get)(int32_t a, int32_t b)
{
  (void) a, (void) b;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_fdstat_set_flags)(int32_t a, int32_t b)
{
  (void) a, (void) b;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_filestat_get)(int32_t a, int32_t b)
{
  (void) a, (void) b;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_pread)(int32_t a, int32_t b, int32_t c, int64_t d, int32_t e)
{
  (void) a, (void) b, (void) c, (void) d, (void) e;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_pwrite)(int32_t a, int32_t b, int32_t c, int64_t d, int32_t e)
{
  (void) a, (void) b, (void) c, (void) d, (void) e;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_prestat_get)(int32_t a, int32_t b)
{
  (void) a, (void) b;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_prestat_dir_name)(int32_t a, int32_t b, int32_t c)
{
  (void) a, (void) b, (void) c;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_read)(int32_t a, int32_t b, int32_t c, int32_t d)
{
  (void) a, (void) b, (void) c, (void) d;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_readdir)(int32_t a, int32_t b, int32_t c, int64_t d, int32_t e)
{
  (void) a, (void) b, (void) c, (void) d, (void) e;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(fd_seek)(int32_t a, int64_t b, int32_t c, int32_t d)
{
  (void) a, (void) b, (void) c, (void) d;
  return BAD_DESCRIPTOR;
}

int32_t SYSTEM(path_filestat_get)(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e)
{
  (void) a, (void) b, (void) c, (void) d, (void) e;
  return NOT_SUPPORTED;
}

int32_t SYSTEM(path_open)(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int64_t f, int64_t g, int32_t h,
  int32_t i)
{
  (void) a, (void) b, (void) c, (void) d, (void) e, (void) f, (void) g, (void) h, (void) i;
  return NOT_SUPPORTED;
}

int32_t SYSTEM(path_readlink)(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f)
{
  (void) a, (void) b, (void) c, (void) d, (void) e, (void) f;
  return NOT_SUPPORTED;
}

int32_t SYSTEM(poll_oneoff)(int32_t a, int32_t b, int32_t c, int32_t d)
{
  (void) a, (void) b, (void) c, (void) d;
  return NOT_SUPPORTED;
}

int32_t SYSTEM(sched_yield)(void)
{
  return SUCCESS;
}

_Noreturn void SYSTEM(proc_exit)(int32_t status)
{
  exit(status);
}
