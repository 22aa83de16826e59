#!/bin/sh
# litesvm 1.5.0 (the newest in November 2026), with @solana/kit 8.4.0, on which it depends.
#
# A node of Solana takes no legacy transaction, and none of version 0, of more than 1,232 bytes, which is one packet: its
# RPC refuses it. litesvm runs it and says that it went well. So a test is green, and what it tests cannot be sent: a
# long name of a mint of Token-2022 in one instruction, or many accounts without a lookup table. Kit has a check of the
# length, which nothing on this way calls.
#
# Seen, with a memo of 2,000 bytes: kit says of both transactions that they are too long, litesvm runs both to the end.
# Exits 1 if that has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund litesvm@1.5.0 @solana/kit@8.4.0 >> npm.log 2>&1
cat > look.cjs << 'JS'
const kit = require('@solana/kit')
const { FailedTransactionMetadata, LiteSVM } = require('litesvm')

const MEMO = kit.address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

async function run(version) {
  const chain = new LiteSVM()
  const payer = await kit.generateKeyPairSigner()
  chain.airdrop(payer.address, kit.lamports(1_000_000_000n))
  const memo = { programAddress: MEMO, data: new TextEncoder().encode('m'.repeat(2_000)) }
  const message = kit.pipe(
    kit.createTransactionMessage({ version }),
    (one) => kit.setTransactionMessageFeePayerSigner(payer, one),
    (one) => chain.setTransactionMessageLifetimeUsingLatestBlockhash(one),
    (one) => kit.appendTransactionMessageInstruction(memo, one),
  )
  const transaction = await kit.signTransactionMessageWithSigners(message)
  const bytes = kit.getTransactionEncoder().encode(transaction).length
  const isShortEnough = kit.isTransactionWithinSizeLimit(transaction)
  const result = chain.sendTransaction(transaction)
  const hasRun = !(result instanceof FailedTransactionMetadata)
  console.log(`version ${version}, ${bytes} bytes: within the limit: ${isShortEnough}, litesvm ran it: ${hasRun}`)
  return !isShortEnough && hasRun
}

async function main() {
  const seen = [await run('legacy'), await run(0)]
  process.exit(seen.every(Boolean) ? 0 : 1)
}

main()
JS
node look.cjs 2> node.log || { cat node.log; exit 1; }
