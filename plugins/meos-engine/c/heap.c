/*
 * Gives memory back late.
 *
 * MEOS frees some blocks twice and reads some after it freed them (rigid geometries, merges of equal values). In a
 * process that lives long these are crashes and, at worst, wrong answers. An instance here lives for one call: a freed
 * block is kept aside until many others were freed after it, a second `free` of it does nothing, and most calls end
 * before any block is used again. The linker sends every `free` and
 * `realloc` of the library here (`--wrap`).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void __real_free(void *block);
extern void *__real_realloc(void *block, size_t size);
extern size_t malloc_usable_size(void *block);

/* As many blocks, and as many bytes, are kept aside; then the oldest go. A power of two. */
#define BLOCKS 8192
#define BYTES (8 << 20)

/* Twice as many places: a search ends soon. */
#define PLACES (2 * BLOCKS)

static void *waiting[BLOCKS];
static uint32_t first, count;
static size_t bytes;

/* The same blocks by address, open addressing; a hole ends a search. */
static void *known[PLACES];

static uint32_t place(const void *block)
{
  return (((uint32_t) (uintptr_t) block >> 3) * 2654435761u) >> (32 - 14);
}

_Static_assert(PLACES == 1 << 14, "`place` gives fourteen bits");

/* Where the block is, or the hole where it would be. */
static uint32_t find(const void *block)
{
  uint32_t at = place(block);
  while (known[at] != NULL && known[at] != block)
    at = (at + 1) % PLACES;
  return at;
}

/* Removes the block at that place and closes the gap in its row. */
static void forget(uint32_t at)
{
  uint32_t next = at;
  for (;;)
  {
    known[at] = NULL;
    uint32_t home;
    do
    {
      next = (next + 1) % PLACES;
      if (known[next] == NULL)
        return;
      home = place(known[next]);
    } while (at <= next ? (at < home && home <= next) : (at < home || home <= next));
    known[at] = known[next];
    at = next;
  }
}

static void release_oldest(void)
{
  void *block = waiting[first];
  first = (first + 1) % BLOCKS;
  count--;
  bytes -= malloc_usable_size(block);
  forget(find(block));
  __real_free(block);
}

void __wrap_free(void *block)
{
  if (block == NULL)
    return;
  uint32_t at = find(block);
  if (known[at] == block)
    return;
  while (count == BLOCKS || (bytes > BYTES && count > 0))
  {
    release_oldest();
    at = find(block);
  }
  known[at] = block;
  waiting[(first + count) % BLOCKS] = block;
  count++;
  bytes += malloc_usable_size(block);
}

/* A block that waits is not given back twice: what grows is a copy of it. */
void *__wrap_realloc(void *block, size_t size)
{
  if (block == NULL || known[find(block)] != block)
    return __real_realloc(block, size);
  size_t old = malloc_usable_size(block);
  void *grown = malloc(size);
  if (grown != NULL)
    memcpy(grown, block, old < size ? old : size);
  return grown;
}
