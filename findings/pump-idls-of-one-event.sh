#!/bin/sh
# @pump-fun/pump-sdk 2.0.0 and @pump-fun/pump-swap-sdk 1.20.0 (the newest in November 2026), read with
# @coral-xyz/anchor 0.31.1, which both depend on.
#
# Both packages have an IDL of the AMM program, and the first installs the second. Their BuyEvent ends at another field: the
# second lacks holder_rewards_bps and holder_rewards. Anchor's coder reads what its IDL knows and does not say that
# bytes are left: amounts of the trade are missing, and nothing tells that the IDL is too old.
#
# Seen: a BuyEvent with 7 of holder rewards, written by the first, is read by the second as whole, without them.
# Exits 1 if that has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund @pump-fun/pump-sdk@2.0.0 @pump-fun/pump-swap-sdk@1.20.0 \
  @coral-xyz/anchor@0.31.1 >> npm.log 2>&1
cat > look.cjs << 'JS'
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { BN, BorshCoder, BorshEventCoder, web3 } = require('@coral-xyz/anchor')

const idlOf = (name) =>
  JSON.parse(readFileSync(`node_modules/@pump-fun/${name}/src/idl/pump_amm.json`, 'utf8'))
const [full, short] = [idlOf('pump-sdk'), idlOf('pump-swap-sdk')]
const fieldsOf = (idl) => idl.types.find(({ name }) => name === 'BuyEvent').type.fields
const missing = fieldsOf(full)
  .map(({ name }) => name)
  .filter((name) => fieldsOf(short).every((field) => field.name !== name))

const values = { pubkey: new web3.PublicKey(new Uint8Array(32)), bool: false, string: 'buy' }
const event = Object.fromEntries(
  fieldsOf(full).map(({ name, type }) => [name, values[type] ?? new BN(name === 'holder_rewards' ? 7 : 1)]),
)
const discriminator = createHash('sha256').update('event:BuyEvent').digest().subarray(0, 8)
const body = new BorshCoder(full).types.encode('BuyEvent', event)
const bytes = Buffer.concat([discriminator, body]).toString('base64')
const read = (idl) => new BorshEventCoder(idl).decode(bytes).data.holder_rewards?.toString()
const [byFull, byShort] = [read(full), read(short)]
console.log('Fields of the first alone:', missing.join(', '))
console.log('holder_rewards by the first:', byFull, '- by the second:', byShort)
const isSame = missing.join() === 'holder_rewards_bps,holder_rewards'
process.exit(isSame && byFull === '7' && byShort === undefined ? 0 : 1)
JS
node look.cjs 2> node.log || { cat node.log; exit 1; }
