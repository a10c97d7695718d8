;; A mapper of a contract to come, see the WIT beside it. The host must refuse it, and say what would help.
;;
;; world: abi-mcp:mapper/mapper@0.2.0
(module
  ;; recognise: func(manifest: list<u8>, file-name: string) -> option<string>: none
  (func (export "abi-mcp:mapper/schema@0.2.0#recognise")
    (param $manifest i32) (param $length i32) (param $file-name i32) (param $name-length i32) (result i32)
    (i32.const 2048))

  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param $old i32) (param $size i32) (param $align i32) (param $new i32) (result i32)
    (i32.const 4096))
)
