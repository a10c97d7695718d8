;; A mapper of the contract `abi-mcp:mapper@0.1.0`: what a component of that release hands over, in the layout of the
;; canonical ABI, with no compiler and no SDK between. `cargo xtask guests` wraps it with the contract's WIT. It must load
;; and answer for as long as the host speaks the contract: mend the host, never this file.
;;
;; world: abi-mcp:mapper/mapper@0.1.0
(module
  ;; recognise: func(manifest: list<u8>) -> option<recognition>
  (func (export "abi-mcp:mapper/schema@0.1.0#recognise") (param $manifest i32) (param $length i32) (result i32)
    ;; none, unless the first byte is `F`
    (if (i32.eqz (local.get $length)) (then (return (i32.const 2048))))
    (if (i32.ne (i32.load8_u (local.get $manifest)) (i32.const 70)) (then (return (i32.const 2048))))
    (i32.store8 (i32.const 2048) (i32.const 1)) ;; some
    (call $pair (i32.const 2052) (i32.const 16) (i32.const 6)) ;; ecosystem
    (call $pair (i32.const 2060) (i32.const 22) (i32.const 8)) ;; format
    (i32.store8 (i32.const 2068) (i32.const 1)) ;; subject-version: some
    (call $pair (i32.const 2072) (i32.const 30) (i32.const 3)) ;; subject
    (i32.store8 (i32.const 2080) (i32.const 0)) ;; fit: exact
    (call $pair (i32.const 2084) (i32.const 2352) (i32.const 1)) ;; reasons: one
    (call $pair (i32.const 2352) (i32.const 33) (i32.const 18)) ;; reason
    (i32.const 2048))

  ;; map-manifest: func(manifest: list<u8>, options: options) -> result<mapping, fault>
  (func (export "abi-mcp:mapper/schema@0.1.0#map-manifest")
    (param $manifest i32) (param $length i32) (param $list-internal i32) (result i32)
    (i32.store8 (i32.const 2048) (i32.const 0)) ;; ok
    (call $pair (i32.const 2052) (i32.const 2176) (i32.const 1)) ;; methods: one
    (call $pair (i32.const 2060) (i32.const 2368) (i32.const 1)) ;; skipped: one
    (call $pair (i32.const 2068) (i32.const 2400) (i32.const 1)) ;; notes: one
    (call $pair (i32.const 2176) (i32.const 51) (i32.const 4)) ;; name
    (i32.store8 (i32.const 2184) (i32.const 1)) ;; title: some
    (call $pair (i32.const 2188) (i32.const 55) (i32.const 4)) ;; title
    (i32.store8 (i32.const 2196) (i32.const 1)) ;; doc: some
    (call $pair (i32.const 2200) (i32.const 59) (i32.const 25)) ;; doc
    (i32.store8 (i32.const 2208) (i32.const 0)) ;; role: ordinary
    (i32.store8 (i32.const 2209) (i32.const 0)) ;; access: view
    (i32.store8 (i32.const 2210) (i32.const 1)) ;; destructive: some
    (i32.store8 (i32.const 2211) (i32.const 0)) ;; false
    (i32.store8 (i32.const 2212) (i32.const 1)) ;; idempotent: some
    (i32.store8 (i32.const 2213) (i32.const 1)) ;; true
    (i32.store8 (i32.const 2214) (i32.const 0)) ;; open-world: none
    (i32.store8 (i32.const 2216) (i32.const 1)) ;; category: some
    (call $pair (i32.const 2220) (i32.const 84) (i32.const 6)) ;; category
    (call $pair (i32.const 2228) (i32.const 2352) (i32.const 1)) ;; keywords: one
    (call $pair (i32.const 2352) (i32.const 90) (i32.const 6)) ;; keyword
    (call $pair (i32.const 2236) (i32.const 2320) (i32.const 1)) ;; parameters: one
    (call $pair (i32.const 2320) (i32.const 96) (i32.const 5)) ;; name
    (i32.store8 (i32.const 2328) (i32.const 1)) ;; required
    (i32.store8 (i32.const 2332) (i32.const 1)) ;; doc: some
    (call $pair (i32.const 2336) (i32.const 101) (i32.const 9)) ;; parameter doc
    (call $pair (i32.const 2244) (i32.const 110) (i32.const 108)) ;; input-schema
    (i32.store8 (i32.const 2252) (i32.const 1)) ;; output-schema: some
    (call $pair (i32.const 2256) (i32.const 218) (i32.const 17)) ;; output
    (call $pair (i32.const 2264) (local.get $manifest) (local.get $length)) ;; plan: the manifest
    (i32.store8 (i32.const 2272) (i32.const 1)) ;; call-spec: some
    (call $pair (i32.const 2276) (i32.const 235) (i32.const 13)) ;; format
    (call $pair (i32.const 2284) (local.get $manifest) (local.get $length)) ;; bytes: the manifest
    (i32.store8 (i32.const 2292) (i32.const 1)) ;; needs-encode
    (i32.store8 (i32.const 2293) (i32.const 1)) ;; needs-decode
    (i32.store8 (i32.const 2296) (i32.const 1)) ;; meta: some
    (call $pair (i32.const 2300) (i32.const 248) (i32.const 20)) ;; meta
    (call $pair (i32.const 2368) (i32.const 268) (i32.const 2)) ;; method
    (call $pair (i32.const 2376) (i32.const 270) (i32.const 24)) ;; reason
    (i32.store8 (i32.const 2400) (i32.const 1)) ;; method: some
    (call $pair (i32.const 2404) (i32.const 51) (i32.const 4)) ;; name
    (call $pair (i32.const 2412) (i32.const 294) (i32.const 5)) ;; path
    (call $pair (i32.const 2420) (i32.const 299) (i32.const 13)) ;; text
    (i32.const 2048))

  ;; render: func(manifest: list<u8>, names: list<string>) -> result<list<string>, fault>: the names themselves
  (func (export "abi-mcp:mapper/signature@0.1.0#render")
    (param $manifest i32) (param $length i32) (param $names i32) (param $count i32) (result i32)
    (i32.store8 (i32.const 2432) (i32.const 0)) ;; ok
    (call $pair (i32.const 2436) (local.get $names) (local.get $count))
    (i32.const 2432))

  ;; encode-arguments: func(plan: list<u8>, arguments: json) -> result<encoded, list<problem>>: the arguments themselves
  (func (export "abi-mcp:mapper/codec@0.1.0#encode-arguments")
    (param $plan i32) (param $plan-length i32) (param $arguments i32) (param $length i32) (result i32)
    (i32.store8 (i32.const 2464) (i32.const 0)) ;; ok
    (call $pair (i32.const 2468) (local.get $arguments) (local.get $length)) ;; json
    (call $pair (i32.const 2476) (i32.const 0) (i32.const 0)) ;; alternatives: none
    (i32.const 2464))

  ;; decode-result: func(plan: list<u8>, value: json) -> result<json, list<problem>>: the value itself
  (func (export "abi-mcp:mapper/codec@0.1.0#decode-result")
    (param $plan i32) (param $plan-length i32) (param $value i32) (param $length i32) (result i32)
    (i32.store8 (i32.const 2496) (i32.const 0)) ;; ok
    (call $pair (i32.const 2500) (local.get $value) (local.get $length))
    (i32.const 2496))

  (data (i32.const 16) "frozen") ;; ecosystem: 6 bytes
  (data (i32.const 22) "frozen/1") ;; format: 8 bytes
  (data (i32.const 30) "0.1") ;; subject: 3 bytes
  (data (i32.const 33) "it begins with `F`") ;; reason: 18 bytes
  (data (i32.const 51) "echo") ;; name: 4 bytes
  (data (i32.const 55) "Echo") ;; title: 4 bytes
  (data (i32.const 59) "Answers what it is given.") ;; doc: 25 bytes
  (data (i32.const 84) "frozen") ;; category: 6 bytes
  (data (i32.const 90) "parrot") ;; keyword: 6 bytes
  (data (i32.const 96) "value") ;; parameter: 5 bytes
  (data (i32.const 101) "Anything.") ;; parameter doc: 9 bytes
  (data (i32.const 110) "{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"string\"}},\"required\":[\"value\"],\"additionalProperties\":false}") ;; input: 108 bytes
  (data (i32.const 218) "{\"type\":\"object\"}") ;; output: 17 bytes
  (data (i32.const 235) "frozen-call/1") ;; call format: 13 bytes
  (data (i32.const 248) "{\"frozen/kept\":true}") ;; meta: 20 bytes
  (data (i32.const 268) "#1") ;; skipped: 2 bytes
  (data (i32.const 270) "there is one method only") ;; why: 24 bytes
  (data (i32.const 294) "value") ;; note path: 5 bytes
  (data (i32.const 299) "taken as text") ;; note: 13 bytes

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
