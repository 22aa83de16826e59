#!/bin/sh
# @pump-fun/pump-sdk 2.0.0 (the newest in November 2026), read with @coral-xyz/anchor 0.31.1, which it depends on.
#
# Since 2026-10-08 a buy that completes a curve may go on out of the pool to come, and the program tells that part
# with a PostCompleteBuyEvent (discriminator 6fb06d8b316cd5fb). The IDL in the package does not have it: Anchor's coder
# answers null, as it does for bytes of any other program. Who skips null loses the greater part of such a buy.
#
# Seen: CompleteEvent is decoded, PostCompleteBuyEvent is null and no event of the IDL.
# Exits 1 if that has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund @pump-fun/pump-sdk@2.0.0 @coral-xyz/anchor@0.31.1 >> npm.log 2>&1
cat > look.cjs << 'JS'
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { BorshEventCoder } = require('@coral-xyz/anchor')

const idl = JSON.parse(readFileSync('node_modules/@pump-fun/pump-sdk/src/idl/pump.json', 'utf8'))
const coder = new BorshEventCoder(idl)
const told = (name, bytes) => {
  const discriminator = createHash('sha256').update(`event:${name}`).digest().subarray(0, 8)
  return Buffer.concat([discriminator, Buffer.alloc(bytes, 1)]).toString('base64')
}
// user, mint, curve: 3 keys; a time.
const complete = coder.decode(told('CompleteEvent', 3 * 32 + 8))
// user, mint, curve, quote mint: 4 keys; a time; eleven amounts.
const behind = coder.decode(told('PostCompleteBuyEvent', 4 * 32 + 8 + 11 * 8))
const isListed = idl.events.some(({ name }) => name === 'PostCompleteBuyEvent')
console.log('CompleteEvent:', complete === null ? null : complete.name)
console.log('PostCompleteBuyEvent:', behind === null ? null : behind.name, '- in the IDL:', isListed)
process.exit(complete !== null && behind === null && !isListed ? 0 : 1)
JS
node look.cjs 2> node.log || { cat node.log; exit 1; }
