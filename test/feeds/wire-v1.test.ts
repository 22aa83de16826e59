import { expect, test } from 'vitest'
import { encodeBase58 } from '../../src/base/base58.ts'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../../src/feeds/chain/layouts/programs.ts'
import {
  readWireTransaction,
  transactionOfRpc,
} from '../../src/feeds/chain/transactions/rpc-json.ts'
import { plainBase58 } from '../oracle/plain-base58.ts'

interface Parts {
  readonly signers: number
  readonly addresses: number
  /** Bits of the settings that are given, four bytes each. */
  readonly mask: number
  /** Accounts and bytes of data of each instruction. */
  readonly instructions: readonly (readonly [number, number])[]
}

const PLAIN: Parts = {
  signers: 2,
  addresses: 5,
  mask: 0b10111,
  instructions: [
    [3, 300],
    [0, 0],
  ],
}

/** As SIMD-0385 writes it: no bytes of it were recorded by anybody here. */
function serialised({ signers, addresses, mask, instructions }: Parts): Buffer {
  const maskBytes = Buffer.alloc(4)
  maskBytes.writeUInt32LE(mask)
  const settings = mask.toString(2).replaceAll('0', '').length
  return Buffer.concat([
    Buffer.from([0x81, signers, 0, 1]),
    maskBytes,
    Buffer.alloc(32, 0xbb),
    Buffer.from([instructions.length, addresses]),
    ...Array.from({ length: addresses }, (_, n) => Buffer.alloc(32, 1 + n)),
    Buffer.alloc(settings * 4, 0xcc),
    ...instructions.map(([accounts, bytes]) =>
      Buffer.from([1, accounts, bytes & 0xff, bytes >> 8]),
    ),
    ...instructions.map(([accounts, bytes]) => Buffer.alloc(accounts + bytes, 0xdd)),
    ...Array.from({ length: signers }, (_, n) => Buffer.alloc(64, 0x40 + n)),
  ])
}

test('version 1, built from its specification: signatures stand behind the message, all keys in it', () => {
  for (const parts of [
    PLAIN,
    { ...PLAIN, mask: 0 },
    { ...PLAIN, mask: 0xffffffff },
    { ...PLAIN, instructions: [] },
    { ...PLAIN, signers: 1, addresses: 1 },
    { ...PLAIN, signers: 12, addresses: 64 },
  ])
    expect(readWireTransaction(serialised(parts))).toEqual({
      signature: encodeBase58(Buffer.alloc(64, 0x40)),
      accountKeys: Array.from({ length: parts.addresses }, (_, n) =>
        encodeBase58(Buffer.alloc(32, 1 + n)),
      ),
      signersCount: parts.signers,
    })
})

test('version 1 that is cut anywhere, without a signer, or with more signers than keys is none', () => {
  const whole = serialised(PLAIN)
  for (let length = 0; length < whole.length; length++)
    expect(readWireTransaction(whole.subarray(0, length)), `${length} bytes`).toBe(null)
  expect(readWireTransaction(serialised({ ...PLAIN, signers: 0 }))).toBe(null)
  expect(readWireTransaction(serialised({ ...PLAIN, signers: 6 }))).toBe(null)
})

test('a transaction of version 1 is read in base64 and base58 as RPC servers answer it', () => {
  const bytes = serialised(PLAIN)
  const encoded = { base64: bytes.toString('base64'), base58: plainBase58(bytes) }
  for (const [encoding, text] of Object.entries(encoded)) {
    const entry = {
      ...{ slot: 5, transactionIndex: 6, blockTime: 7, version: 1 },
      transaction: [text, encoding],
      meta: { err: null, fee: 6_000, innerInstructions: [], logMessages: [] },
    }
    expect(transactionOfRpc(entry)).toMatchObject({
      ...{ slot: 5, txIndex: 6, blockTime: 7, feeRaw: 6_000n },
      signature: encodeBase58(Buffer.alloc(64, 0x40)),
      signers: [1, 2].map((n) => encodeBase58(Buffer.alloc(32, n))),
    })
  }
})

test('who signed is known in every form of a transaction', () => {
  const keys = [1, 2, 3].map((n) => encodeBase58(Buffer.alloc(32, n)))
  const signatures = [40, 41].map((n) => encodeBase58(Buffer.alloc(64, n)))
  const meta = { err: null, fee: 5_000, innerInstructions: [], logMessages: [] }
  const signersOf = (message: object) =>
    transactionOfRpc({ slot: 1, meta, transaction: { signatures, message } })?.signers
  expect(signersOf({ accountKeys: keys, header: { numRequiredSignatures: 2 } })).toEqual([
    keys[0],
    keys[1],
  ])
  expect(signersOf({ accountKeys: keys, header: {} })).toEqual([keys[0], keys[1]])
  const parsed = [...keys, PUMP_PROGRAM, AMM_PROGRAM].map((pubkey) => ({ pubkey }))
  expect(signersOf({ accountKeys: parsed })).toEqual([keys[0], keys[1]])
  const loaded = { ...meta, loadedAddresses: { writable: [PUMP_PROGRAM], readonly: [] } }
  const answer = {
    slot: 1,
    meta: loaded,
    transaction: { signatures, message: { accountKeys: [] } },
  }
  expect(transactionOfRpc(answer)?.signers).toEqual([])
})
