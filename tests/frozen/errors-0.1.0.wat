;; An error decoder of the contract `abi-mcp:errors@0.1.0`: what a component of that release hands over, in the layout of the
;; canonical ABI, with no compiler and no SDK between. `cargo xtask guests` wraps it with the contract's WIT. It must load
;; and answer for as long as the host speaks the contract: mend the host, never this file.
;;
;; world: abi-mcp:errors/errors@0.1.0
(module
  ;; decode: func(failure: failure) -> option<explanation>. Explains a guest's failure with its own kind, and no other. The
  ;; variant's cases share their parameters: of `guest` the first two are `kind`.
  (func (export "abi-mcp:errors/decoder@0.1.0#decode")
    (param $case i32) (param $kind i32) (param $length i32)
    (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
    (if (local.get $case) (then (return (i32.const 2048))))
    (i32.store8 (i32.const 2048) (i32.const 1)) ;; some
    (call $pair (i32.const 2052) (local.get $kind) (local.get $length)) ;; message
    (i32.store8 (i32.const 2060) (i32.const 5)) ;; class: temporary
    (i32.store8 (i32.const 2061) (i32.const 1)) ;; retry: later
    (i32.store8 (i32.const 2064) (i32.const 1)) ;; hint: some
    (call $pair (i32.const 2068) (i32.const 16) (i32.const 11)) ;; hint
    (i32.const 2048))

  (data (i32.const 16) "wait for it") ;; hint: 11 bytes

  (memory (export "memory") 2)
  ;; A string or a list: where it is, then how long it is.
  (func $pair (param $at i32) (param $pointer i32) (param $length i32)
    (i32.store (local.get $at) (local.get $pointer))
    (i32.store offset=4 (local.get $at) (local.get $length)))
  ;; What the host hands over is put behind everything else and never freed: an instance serves one call.
  (global $free (mut i32) (i32.const 4096))
  (func (export "cabi_realloc") (param $old i32) (param $size i32) (param $align i32) (param $new i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and
      (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $at) (local.get $new)))
    (block $fits
      (br_if $fits (i32.le_u (global.get $free) (i32.mul (memory.size) (i32.const 65536))))
      (br_if $fits (i32.ne
        (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $new) (i32.const 16))))
        (i32.const -1)))
      (unreachable))
    (local.get $at))
)
