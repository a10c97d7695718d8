;; An engine of the contract `abi-mcp:engine@0.1.0`: what a component of that release hands over, in the layout of the
;; canonical ABI, with no compiler and no SDK between. `cargo xtask guests` wraps it with the contract's WIT. It must load
;; and answer for as long as the host speaks the contract: mend the host, never this file.
;;
;; world: abi-mcp:engine/engine-component@0.1.0
(module
  ;; describe: func() -> about
  (func (export "abi-mcp:engine/engine@0.1.0#describe") (result i32)
    (call $pair (i32.const 2048) (i32.const 16) (i32.const 13)) ;; name
    (call $pair (i32.const 2056) (i32.const 29) (i32.const 5)) ;; release
    (call $pair (i32.const 2064) (i32.const 34) (i32.const 3)) ;; licence
    (call $pair (i32.const 2072) (i32.const 2352) (i32.const 1)) ;; limits: one
    (call $pair (i32.const 2352) (i32.const 37) (i32.const 14)) ;; limit
    (i32.const 2048))

  ;; accepts: func() -> list<string>
  (func (export "abi-mcp:engine/engine@0.1.0#accepts") (result i32)
    (call $pair (i32.const 2048) (i32.const 2352) (i32.const 1)) ;; one
    (call $pair (i32.const 2352) (i32.const 51) (i32.const 13)) ;; format
    (i32.const 2048))

  ;; supported: func(specs: list<call-spec>) -> list<unsupported>. The first is not, where its bytes are `F-` alone.
  (func (export "abi-mcp:engine/engine@0.1.0#supported") (param $specs i32) (param $count i32) (result i32)
    (if (i32.eqz (local.get $count)) (then (return (i32.const 2600)))) ;; an empty list
    ;; the length of the first one's bytes
    (if (i32.ne (i32.load offset=12 (local.get $specs)) (i32.const 2)) (then (return (i32.const 2600))))
    (call $pair (i32.const 2048) (i32.const 2352) (i32.const 1)) ;; one
    (i32.store (i32.const 2352) (i32.const 0)) ;; index
    (call $pair (i32.const 2356) (i32.const 64) (i32.const 21)) ;; reason
    (i32.const 2048))

  ;; execute: func(spec: call-spec, arguments: json) -> result<option<json>, failure>. Fails where the arguments hold an
  ;; empty value, `{"value":""}`, which is 12 bytes; else they are the result.
  (func (export "abi-mcp:engine/engine@0.1.0#execute")
    (param $format i32) (param $format-length i32) (param $bytes i32) (param $bytes-length i32)
    (param $arguments i32) (param $length i32) (result i32)
    (if (i32.eq (local.get $length) (i32.const 12)) (then
      (i32.store8 (i32.const 2048) (i32.const 1)) ;; err
      (i32.store8 (i32.const 2052) (i32.const 0)) ;; stage: arguments
      (i32.store8 (i32.const 2056) (i32.const 1)) ;; argument: some
      (call $pair (i32.const 2060) (i32.const 85) (i32.const 5)) ;; argument
      (i32.store8 (i32.const 2068) (i32.const 1)) ;; code: some
      (call $pair (i32.const 2072) (i32.const 90) (i32.const 5)) ;; code
      (call $pair (i32.const 2080) (i32.const 95) (i32.const 24)) ;; message
      (return (i32.const 2048))))
    (i32.store8 (i32.const 2048) (i32.const 0)) ;; ok
    (i32.store8 (i32.const 2052) (i32.const 1)) ;; some
    (call $pair (i32.const 2056) (local.get $arguments) (local.get $length))
    (i32.const 2048))

  (data (i32.const 16) "frozen-engine") ;; name: 13 bytes
  (data (i32.const 29) "0.1.0") ;; release: 5 bytes
  (data (i32.const 34) "MIT") ;; licence: 3 bytes
  (data (i32.const 37) "it only echoes") ;; limit: 14 bytes
  (data (i32.const 51) "frozen-call/1") ;; format: 13 bytes
  (data (i32.const 64) "its call-spec is bare") ;; reason: 21 bytes
  (data (i32.const 85) "value") ;; argument: 5 bytes
  (data (i32.const 90) "EMPTY") ;; code: 5 bytes
  (data (i32.const 95) "there is nothing to echo") ;; message: 24 bytes

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
