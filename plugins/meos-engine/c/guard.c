/*
 * Calls MEOS so that it always comes back.
 *
 * MEOS reports an error through a handler and then goes on, often with bad state, or ends the process. Here the first
 * error leaves the call at once, and `exit` and `abort` do the same: both jump back to `abi_mcp_call`. Compiled with
 * wasm's own exceptions for setjmp and longjmp; frames of MEOS in between need no preparation.
 */
#include "engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MEOS' and liblwgeom's own declarations would bring all their headers in. */
extern void meos_initialize_error_handler(void (*handler)(int, int, const char *));
extern void meos_initialize_timezone(const char *name);
extern void lwgeom_set_handlers(
  void *(*allocate)(size_t), void *(*reallocate)(void *, size_t), void (*release)(void *),
  void (*error)(const char *, va_list), void (*notice)(const char *, va_list));

/* PostgreSQL's level from which an error ends the statement (elog.h). */
#define ERROR_LEVEL 21
/* Of MEOS' errorCode. What liblwgeom and PostgreSQL's parts report has no code of its own. */
#define INTERNAL_ERROR 1
#define VALUE_OUT_OF_RANGE 3
#define TEXT_INPUT 22

#define TEXT_LENGTH 1024

static jmp_buf back;
static int guarded;
static int32_t failure_code;
static char failure_text[TEXT_LENGTH];

/* What the program wrote last, to either stream. */
static char written[TEXT_LENGTH];
static size_t written_length;

static _Noreturn void leave(int how)
{
  if (!guarded)
    __builtin_trap();
  guarded = 0;
  longjmp(back, how);
}

static void keep_text(const char *text)
{
  strncpy(failure_text, text, TEXT_LENGTH - 1);
  failure_text[TEXT_LENGTH - 1] = '\0';
}

_Noreturn void abi_mcp_refuse(int32_t code, const char *text)
{
  failure_code = code;
  keep_text(text);
  leave(ABI_MCP_REFUSED);
}

/* Keeps the tail of what is written: the last words are those that explain an exit. */
void abi_mcp_keep_written(const char *bytes, size_t length)
{
  if (length >= TEXT_LENGTH)
  {
    bytes += length - (TEXT_LENGTH - 1);
    length = TEXT_LENGTH - 1;
  }
  size_t kept = written_length;
  if (kept + length >= TEXT_LENGTH)
  {
    size_t dropped = kept + length - (TEXT_LENGTH - 1);
    memmove(written, written + dropped, kept - dropped);
    kept -= dropped;
  }
  memcpy(written + kept, bytes, length);
  written_length = kept + length;
  written[written_length] = '\0';
}

static _Noreturn void leave_by_exit(void)
{
  failure_code = 0;
  keep_text(written);
  leave(ABI_MCP_EXITED);
}

/* In place of libc's. Nothing is flushed: nobody reads the streams. */
_Noreturn void exit(int status)
{
  (void) status;
  leave_by_exit();
}

_Noreturn void _Exit(int status)
{
  (void) status;
  leave_by_exit();
}

_Noreturn void abort(void)
{
  leave_by_exit();
}

_Noreturn void __assert_fail(const char *condition, const char *file, int line, const char *function)
{
  (void) file;
  (void) line;
  char text[TEXT_LENGTH];
  snprintf(text, sizeof(text), "assertion failed in %s: %s", function, condition);
  failure_code = 0;
  keep_text(text);
  leave(ABI_MCP_EXITED);
}

static void meos_failed(int level, int code, const char *text)
{
  if (level >= ERROR_LEVEL)
    abi_mcp_refuse(code, text);
}

static void lwgeom_failed(const char *format, va_list values)
{
  char text[TEXT_LENGTH];
  vsnprintf(text, sizeof(text), format, values);
  abi_mcp_refuse(INTERNAL_ERROR, text);
}

/* PostgreSQL's words are fixed; MEOS' own readers give the same failures these codes. */
_Noreturn void abi_mcp_refuse_postgres(const char *text)
{
  int code = INTERNAL_ERROR;
  if (strstr(text, "invalid input syntax") != NULL)
    code = TEXT_INPUT;
  else if (strstr(text, "out of range") != NULL)
    code = VALUE_OUT_OF_RANGE;
  abi_mcp_refuse(code, text);
}

static void lwgeom_notice(const char *format, va_list values)
{
  (void) format;
  (void) values;
}

int32_t abi_mcp_call(abi_mcp_trampoline call, const abi_mcp_slot *arguments, abi_mcp_slot *result)
{
  written_length = 0;
  written[0] = '\0';
  int how = setjmp(back);
  if (how == 0)
  {
    guarded = 1;
    call(arguments, result);
    guarded = 0;
  }
  return how;
}

int32_t abi_mcp_failure_code(void)
{
  return failure_code;
}

const char *abi_mcp_failure_text(void)
{
  return failure_text;
}

/*
 * Not `meos_initialize`: that looks for a default zone in the whole zone folder and sets up what it can set up later
 * by itself.
 */
static void start(const abi_mcp_slot *arguments, abi_mcp_slot *result)
{
  (void) arguments;
  (void) result;
  meos_initialize_error_handler(meos_failed);
  lwgeom_set_handlers(NULL, NULL, NULL, lwgeom_failed, lwgeom_notice);
  meos_initialize_timezone("UTC");
}

int32_t abi_mcp_start(void)
{
  return abi_mcp_call(start, NULL, NULL);
}
