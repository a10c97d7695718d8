;; A tool extension of the contract `abi-mcp:tool@0.1.0`: what a component of that release hands over, in the layout of the
;; canonical ABI, with no compiler and no SDK between. `cargo xtask guests` wraps it with the contract's WIT. It must load
;; and answer for as long as the host speaks the contract: mend the host, never this file.
;;
;; world: abi-mcp:tool/stateful-tool@0.1.0
(module
  (import "abi-mcp:tool/log@0.1.0" "write" (func $write (param $level i32) (param $line i32) (param $length i32)))
  (import "abi-mcp:tool/config@0.1.0" "get" (func $config (param $key i32) (param $length i32) (param $into i32)))
  (import "abi-mcp:tool/progress@0.1.0" "report"
    (func $report (param $done f64) (param $has-total i32) (param $total f64) (param $has-text i32) (param i32 i32)))
  (import "abi-mcp:tool/cancellation@0.1.0" "cancelled" (func $cancelled (result i32)))
  (import "abi-mcp:tool/state@0.1.0" "get" (func $kept (param $key i32) (param $length i32) (param $into i32)))
  (import "abi-mcp:tool/state@0.1.0" "set"
    (func $keep (param $key i32) (param $length i32) (param $value i32) (param $value-length i32) (param $into i32)))

  ;; list: func() -> list<tool-definition>
  (func (export "abi-mcp:tool/tools@0.1.0#list") (result i32)
    (call $pair (i32.const 2048) (i32.const 2100) (i32.const 1)) ;; one
    (call $pair (i32.const 2100) (i32.const 16) (i32.const 5)) ;; name
    (i32.store8 (i32.const 2108) (i32.const 1)) ;; title: some
    (call $pair (i32.const 2112) (i32.const 21) (i32.const 5)) ;; title
    (call $pair (i32.const 2120) (i32.const 26) (i32.const 40)) ;; description
    (call $pair (i32.const 2128) (i32.const 66) (i32.const 79)) ;; input-schema
    (i32.store8 (i32.const 2136) (i32.const 1)) ;; output-schema: some
    (call $pair (i32.const 2140) (i32.const 145) (i32.const 17)) ;; output
    (i32.store8 (i32.const 2148) (i32.const 1)) ;; read-only: some
    (i32.store8 (i32.const 2149) (i32.const 0)) ;; false
    (i32.store8 (i32.const 2150) (i32.const 0)) ;; destructive: none
    (i32.store8 (i32.const 2152) (i32.const 0)) ;; idempotent: none
    (i32.store8 (i32.const 2154) (i32.const 0)) ;; open-world: none
    (i32.store8 (i32.const 2156) (i32.const 1)) ;; category: some
    (call $pair (i32.const 2160) (i32.const 162) (i32.const 6)) ;; category
    (call $pair (i32.const 2168) (i32.const 2200) (i32.const 1)) ;; keywords: one
    (call $pair (i32.const 2200) (i32.const 168) (i32.const 6)) ;; keyword
    (i32.const 2048))

  ;; call: func(name: string, arguments: json) -> result<reply, failure>
  (func (export "abi-mcp:tool/tools@0.1.0#call")
    (param $name i32) (param $name-length i32) (param $arguments i32) (param $length i32) (result i32)
    (call $write (i32.const 3) (i32.const 183) (i32.const 16)) ;; warn
    (call $report (f64.const 1) (i32.const 1) (f64.const 2) (i32.const 1) (i32.const 234) (i32.const 7))
    (if (call $cancelled) (then
      (i32.store8 (i32.const 2224) (i32.const 1)) ;; err
      (i32.store8 (i32.const 2228) (i32.const 2)) ;; class: temporary
      (call $pair (i32.const 2232) (i32.const 241) (i32.const 12)) ;; message
      (return (i32.const 2224))))
    (call $kept (i32.const 174) (i32.const 4) (i32.const 2272))
    ;; result<option<list<u8>>, refusal>: u64 in `refusal` moves what follows to 8
    (if (i32.or (i32.load8_u (i32.const 2272)) (i32.eqz (i32.load8_u offset=8 (i32.const 2272)))) (then
      ;; Nothing kept: the operator's value stands for it, if there is one.
      (call $config (i32.const 178) (i32.const 5) (i32.const 2304))
      (i32.store offset=12 (i32.const 2272) (i32.load offset=4 (i32.const 2304)))
      (i32.store offset=16 (i32.const 2272) (i32.load offset=8 (i32.const 2304)))))
    (call $keep (i32.const 174) (i32.const 4) (local.get $arguments) (local.get $length) (i32.const 2336))
    (if (i32.eqz (i32.load offset=16 (i32.const 2272))) (then
      (i32.store8 (i32.const 2224) (i32.const 1)) ;; err
      (i32.store8 (i32.const 2228) (i32.const 3)) ;; class: failed
      (call $pair (i32.const 2232) (i32.const 199) (i32.const 22)) ;; message
      (i32.store8 (i32.const 2240) (i32.const 1)) ;; hint: some
      (call $pair (i32.const 2244) (i32.const 221) (i32.const 13)) ;; hint
      (return (i32.const 2224))))
    (i32.store8 (i32.const 2224) (i32.const 0)) ;; ok
    (i32.store8 (i32.const 2228) (i32.const 0)) ;; text: none
    (i32.store8 (i32.const 2240) (i32.const 1)) ;; structured: some
    (i32.store offset=20 (i32.const 2224) (i32.load offset=12 (i32.const 2272)))
    (i32.store offset=24 (i32.const 2224) (i32.load offset=16 (i32.const 2272)))
    (i32.const 2224))

  (data (i32.const 16) "again") ;; name: 5 bytes
  (data (i32.const 21) "Again") ;; title: 5 bytes
  (data (i32.const 26) "Answers what it was given the last time.") ;; description: 40 bytes
  (data (i32.const 66) "{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"string\"}},\"required\":[\"value\"]}") ;; input: 79 bytes
  (data (i32.const 145) "{\"type\":\"object\"}") ;; output: 17 bytes
  (data (i32.const 162) "frozen") ;; category: 6 bytes
  (data (i32.const 168) "memory") ;; keyword: 6 bytes
  (data (i32.const 174) "last") ;; key: 4 bytes
  (data (i32.const 178) "first") ;; config: 5 bytes
  (data (i32.const 183) "again was called") ;; line: 16 bytes
  (data (i32.const 199) "there was no last time") ;; message: 22 bytes
  (data (i32.const 221) "call it twice") ;; hint: 13 bytes
  (data (i32.const 234) "looking") ;; step: 7 bytes
  (data (i32.const 241) "nobody waits") ;; gone: 12 bytes
  (@custom "abi-mcp-manifest" "{\"name\":\"frozen\",\"release\":\"0.1.0\",\"asks\":{\"state\":true}}")

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
