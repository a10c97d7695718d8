/* GSL's configuration for wasm32 with wasi-libc, as far as its random numbers need it. */
#define RELEASED 1
#define HAVE_DECL_EXPM1 1
#define HAVE_DECL_LOG1P 1
#define HAVE_DECL_HYPOT 1
#define HAVE_DECL_ISNAN 1
#define HAVE_DECL_ISINF 1
#define HAVE_DECL_ISFINITE 1
#define HAVE_DECL_FINITE 0
#define HAVE_EXTENDED_PRECISION_REGISTERS 0
#define GSL_RANGE_CHECK 1
#define RETURN_IF_NULL(x) \
  if (!(x))               \
  {                       \
    return;               \
  }
