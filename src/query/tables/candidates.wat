;; Candidates of a filter: a bit a token, those of 32 tokens in a word. Each function takes out the tokens whose values
;; are out of bounds, 32 at a time, and passes over words without a bit. Values and counts have 4 bytes a token.
;; `npm run kernels` makes candidates-wasm.ts of this.
(module
  (import "host" "memory" (memory 1 65536 shared))

  ;; Values from `least` to `most` stay, and those that are no number.
  (func (export "keepValues")
    (param $bits i32) (param $end i32) (param $values i32) (param $least f32) (param $most f32)
    (local $low v128) (local $high v128) (local $word i32)
    (local.set $low (f32x4.splat (local.get $least)))
    (local.set $high (f32x4.splat (local.get $most)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $bits) (local.get $end)))
        (if (local.tee $word (i32.load (local.get $bits)))
          (then
            (i32.store (local.get $bits)
              (i32.and (local.get $word)
                (i32.xor (i32.const -1)
                  (i32.or
                    (i8x16.bitmask (i8x16.narrow_i16x8_s
                      (i16x8.narrow_i32x4_s
                        (v128.or (f32x4.lt (v128.load offset=0 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=0 (local.get $values)) (local.get $high)))
                        (v128.or (f32x4.lt (v128.load offset=16 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=16 (local.get $values)) (local.get $high))))
                      (i16x8.narrow_i32x4_s
                        (v128.or (f32x4.lt (v128.load offset=32 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=32 (local.get $values)) (local.get $high)))
                        (v128.or (f32x4.lt (v128.load offset=48 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=48 (local.get $values)) (local.get $high))))))
                    (i32.shl
                      (i8x16.bitmask (i8x16.narrow_i16x8_s
                        (i16x8.narrow_i32x4_s
                          (v128.or (f32x4.lt (v128.load offset=64 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=64 (local.get $values)) (local.get $high)))
                          (v128.or (f32x4.lt (v128.load offset=80 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=80 (local.get $values)) (local.get $high))))
                        (i16x8.narrow_i32x4_s
                          (v128.or (f32x4.lt (v128.load offset=96 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=96 (local.get $values)) (local.get $high)))
                          (v128.or (f32x4.lt (v128.load offset=112 (local.get $values)) (local.get $low)) (f32x4.gt (v128.load offset=112 (local.get $values)) (local.get $high))))))
                      (i32.const 16))))))))
        (local.set $bits (i32.add (local.get $bits) (i32.const 4)))
        (local.set $values (i32.add (local.get $values) (i32.const 128)))
        (br $next))))

  ;; Counts from `least` to `least + span` stay.
  (func (export "keepCounts")
    (param $bits i32) (param $end i32) (param $counts i32) (param $least i32) (param $span i32)
    (local $low v128) (local $wide v128) (local $word i32)
    (local.set $low (i32x4.splat (local.get $least)))
    (local.set $wide (i32x4.splat (local.get $span)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $bits) (local.get $end)))
        (if (local.tee $word (i32.load (local.get $bits)))
          (then
            (i32.store (local.get $bits)
              (i32.and (local.get $word)
                (i32.or
                  (i8x16.bitmask (i8x16.narrow_i16x8_s
                    (i16x8.narrow_i32x4_s
                      (i32x4.le_u (i32x4.sub (v128.load offset=0 (local.get $counts)) (local.get $low)) (local.get $wide))
                      (i32x4.le_u (i32x4.sub (v128.load offset=16 (local.get $counts)) (local.get $low)) (local.get $wide)))
                    (i16x8.narrow_i32x4_s
                      (i32x4.le_u (i32x4.sub (v128.load offset=32 (local.get $counts)) (local.get $low)) (local.get $wide))
                      (i32x4.le_u (i32x4.sub (v128.load offset=48 (local.get $counts)) (local.get $low)) (local.get $wide)))))
                  (i32.shl
                    (i8x16.bitmask (i8x16.narrow_i16x8_s
                      (i16x8.narrow_i32x4_s
                        (i32x4.le_u (i32x4.sub (v128.load offset=64 (local.get $counts)) (local.get $low)) (local.get $wide))
                        (i32x4.le_u (i32x4.sub (v128.load offset=80 (local.get $counts)) (local.get $low)) (local.get $wide)))
                      (i16x8.narrow_i32x4_s
                        (i32x4.le_u (i32x4.sub (v128.load offset=96 (local.get $counts)) (local.get $low)) (local.get $wide))
                        (i32x4.le_u (i32x4.sub (v128.load offset=112 (local.get $counts)) (local.get $low)) (local.get $wide)))))
                    (i32.const 16)))))))
        (local.set $bits (i32.add (local.get $bits) (i32.const 4)))
        (local.set $counts (i32.add (local.get $counts) (i32.const 128)))
        (br $next))))

  ;; The same of counts that a token's number stands for: those of the tokens that have a bit are looked up one by one.
  (func (export "keepCountsOf")
    (param $bits i32) (param $end i32) (param $numbers i32) (param $counts i32) (param $least i32) (param $span i32)
    (local $word i32) (local $left i32) (local $kept i32) (local $at i32) (local $last i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $bits) (local.get $end)))
        (if (local.tee $word (i32.load (local.get $bits)))
          (then
            (local.set $kept (i32.const 0))
            (if (i32.le_u (i32.popcnt (local.get $word)) (i32.const 12))
              (then
                (local.set $left (local.get $word))
                (loop $token
                  (local.set $at (i32.ctz (local.get $left)))
                  (local.set $kept
                    (i32.or
                      (local.get $kept)
                      (i32.shl
                        (call $isWithin
                          (i32.add (local.get $numbers) (i32.shl (local.get $at) (i32.const 2)))
                          (local.get $counts) (local.get $least) (local.get $span))
                        (local.get $at))))
                  (br_if $token
                    (local.tee $left (i32.and (local.get $left) (i32.sub (local.get $left) (i32.const 1)))))))
              (else
                (local.set $at (local.get $numbers))
                (local.set $last (i32.add (local.get $numbers) (i32.const 128)))
                (loop $token
                  (local.set $kept
                    (i32.or
                      (i32.shr_u (local.get $kept) (i32.const 1))
                      (i32.shl
                        (call $isWithin (local.get $at) (local.get $counts) (local.get $least) (local.get $span))
                        (i32.const 31))))
                  (br_if $token (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $last))))))
            (i32.store (local.get $bits) (i32.and (local.get $word) (local.get $kept)))))
        (local.set $bits (i32.add (local.get $bits) (i32.const 4)))
        (local.set $numbers (i32.add (local.get $numbers) (i32.const 128)))
        (br $next))))

  (func $isWithin (param $number i32) (param $counts i32) (param $least i32) (param $span i32) (result i32)
    (i32.le_u
      (i32.sub
        (i32.load (i32.add (local.get $counts) (i32.shl (i32.load (local.get $number)) (i32.const 2))))
        (local.get $least))
      (local.get $span)))

  ;; Tokens stay whose byte in `lists` is `list`.
  (func (export "keepMembers") (param $bits i32) (param $end i32) (param $lists i32) (param $list i32)
    (local $wanted v128)
    (local.set $wanted (i8x16.splat (local.get $list)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $bits) (local.get $end)))
        (i32.store (local.get $bits)
          (i32.and (i32.load (local.get $bits))
            (i32.or
              (i8x16.bitmask (i8x16.eq (v128.load (local.get $lists)) (local.get $wanted)))
              (i32.shl
                (i8x16.bitmask (i8x16.eq (v128.load offset=16 (local.get $lists)) (local.get $wanted)))
                (i32.const 16)))))
        (local.set $bits (i32.add (local.get $bits) (i32.const 4)))
        (local.set $lists (i32.add (local.get $lists) (i32.const 32)))
        (br $next))))

  ;; Moves those of `count` tokens, at least one, that have their bit in `bits` to the end, in their order. Returns the
  ;; place of the first.
  (func (export "filter") (param $tokens i32) (param $count i32) (param $bits i32) (result i32)
    (local $from i32) (local $to i32) (local $token i32)
    (local.set $from
      (i32.sub (i32.add (local.get $tokens) (i32.shl (local.get $count) (i32.const 2))) (i32.const 4)))
    (local.set $to (local.get $from))
    (loop $next
      (i32.store (local.get $to) (local.tee $token (i32.load (local.get $from))))
      (local.set $to
        (i32.sub (local.get $to)
          (i32.shl
            (i32.and
              (i32.shr_u
                (i32.load8_u (i32.add (local.get $bits) (i32.shr_u (local.get $token) (i32.const 3))))
                (i32.and (local.get $token) (i32.const 7)))
              (i32.const 1))
            (i32.const 2))))
      (local.set $from (i32.sub (local.get $from) (i32.const 4)))
      (br_if $next (i32.ge_u (local.get $from) (local.get $tokens))))
    (i32.shr_u (i32.sub (i32.add (local.get $to) (i32.const 4)) (local.get $tokens)) (i32.const 2)))

  ;; Writes the tokens of the bits to `out`, at most `most`, and returns how many they are, more than `most` or not.
  (func (export "collect")
    (param $bits i32) (param $end i32) (param $out i32) (param $most i32) (result i32)
    (local $word i32) (local $first i32) (local $count i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $bits) (local.get $end)))
        (local.set $word (i32.load (local.get $bits)))
        (if (i32.gt_u (i32.add (local.get $count) (i32.popcnt (local.get $word))) (local.get $most))
          (then (return (i32.add (local.get $most) (i32.const 1)))))
        (block $empty
          (loop $one
            (br_if $empty (i32.eqz (local.get $word)))
            (i32.store (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2)))
              (i32.add (local.get $first) (i32.ctz (local.get $word))))
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (local.set $word (i32.and (local.get $word) (i32.sub (local.get $word) (i32.const 1))))
            (br $one)))
        (local.set $bits (i32.add (local.get $bits) (i32.const 4)))
        (local.set $first (i32.add (local.get $first) (i32.const 32)))
        (br $next)))
    (local.get $count)))
