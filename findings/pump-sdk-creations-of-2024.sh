#!/bin/sh
# @pump-fun/pump-sdk 2.0.0 (the newest in November 2026), read with @coral-xyz/anchor 0.31.1, which it depends on.
#
# Events of the platform grow at their end: a CreateEvent of 2024 has name, symbol, uri, mint, curve and user, and ends there.
# The IDL has one form, the newest. Anchor's coder answers null for an event that it does not know, but throws a
# RangeError out of a buffer for one that ends earlier: one token of 2024 ends the loop of whoever reads history.
#
# Seen: a CreateEvent with all fields is decoded; the same one, ended behind `user`, throws a RangeError.
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
const text = (value) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(value.length)
  return Buffer.concat([length, Buffer.from(value)])
}
const sizes = { pubkey: 32, i64: 8, u64: 8, bool: 1, u8: 1 }
const { fields } = idl.types.find(({ name }) => name === 'CreateEvent').type
/** The event with its fields up to the one of this name. */
const upTo = (last) => {
  const known = fields.slice(0, fields.findIndex(({ name }) => name === last) + 1)
  const values = known.map(({ name, type }) =>
    type === 'string' ? text(name) : Buffer.alloc(sizes[type], 1),
  )
  const discriminator = createHash('sha256').update('event:CreateEvent').digest().subarray(0, 8)
  return Buffer.concat([discriminator, ...values]).toString('base64')
}
const read = (last) => {
  try {
    return coder.decode(upTo(last)).data.name
  } catch (error) {
    return error.name
  }
}
const [today, of2024] = [read(fields.at(-1).name), read('user')]
console.log('With all fields:', today)
console.log('Ended behind user:', of2024)
process.exit(today === 'name' && of2024 === 'RangeError' ? 0 : 1)
JS
node look.cjs 2> node.log || { cat node.log; exit 1; }
