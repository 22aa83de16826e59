import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { Random } from '../../../src/base/random.ts'
import {
  readCurve,
  readMetadata,
  readMint,
  readTokenAccount,
} from '../../../src/feeds/hydration/account-layouts.ts'
import { dataText, hasData, withData } from '../data-folder.ts'
import {
  type ChainAccount,
  curve,
  extendedMint,
  key,
  LEGACY,
  legacyMint,
  METAPLEX,
  MULTISIG_BYTES,
  metaplex,
  PUMP,
  TOKEN_2022,
  tokenAccount,
} from '../peers/chain-accounts.ts'

const [MINT, OTHER, OWNER] = [1, 2, 3].map((byte) => encodeBase58(new Uint8Array(32).fill(byte)))
const TEXTS = { name: 'Toad', symbol: 'TOAD', uri: 'ipfs://toad' }
const SUPPLY = 999_999_999_999_999n

test('a mint of Token-2022 has its texts in it, and a legacy one in an account of its own', () => {
  const facts = { supplyRaw: SUPPLY, decimals: 6 }
  expect(readMint(MINT, extendedMint(MINT, SUPPLY, TEXTS))).toEqual({
    ...{ ...facts, tokenProgram: TOKEN_2022, texts: TEXTS },
  })
  expect(readMint(MINT, legacyMint(SUPPLY))).toEqual({
    ...{ ...facts, tokenProgram: LEGACY, texts: null },
  })
  expect(readMetadata(MINT, metaplex(MINT, TEXTS))).toEqual(TEXTS)
})

test('texts of another mint are none, and texts without end are cut', () => {
  expect(readMint(MINT, extendedMint(OTHER, SUPPLY, TEXTS))?.texts).toBeNull()
  expect(readMetadata(MINT, metaplex(OTHER, TEXTS))).toBeNull()
  const long = { name: 'ö'.repeat(9_000), symbol: '🚀'.repeat(2_000), uri: 'x'.repeat(9_000) }
  const texts = readMint(MINT, extendedMint(MINT, SUPPLY, long))?.texts
  expect([texts?.name, texts?.symbol, texts?.uri].map((text) => [...(text ?? '')].length)).toEqual([
    ...[256, 256, 512],
  ])
})

test('a curve names its creator, one of 2024 none, and one whose creator is given up none', () => {
  expect(readCurve(curve(OWNER))).toEqual({ creator: OWNER, quoteMint: '' })
  expect(readCurve(curve(null))).toEqual({ creator: '', quoteMint: '' })
  expect(readCurve(curve('1'.repeat(32)))).toEqual({ creator: '', quoteMint: '' })
})

test('a curve names the coin that it is quoted in, and none where that is SOL', () => {
  const { program, data } = curve(OWNER)
  const quoted = Buffer.from(data)
  key(OTHER).copy(quoted, 8 + 5 * 8 + 1 + 32 + 2)
  expect(readCurve({ program, data: quoted })?.quoteMint).toBe(OTHER)
  expect(readCurve({ program, data: quoted.subarray(0, 8 + 5 * 8 + 1 + 32 + 2 + 31) })).toEqual({
    ...{ creator: OWNER, quoteMint: '' },
  })
})

test.skipIf(!hasData)(`real curves name their creators${withData}`, () => {
  const accounts: readonly { readonly data_b64: string }[] = JSON.parse(
    dataText('jouleka-memecoin-bot', 'curve_accounts.json'),
  )
  expect(accounts.length).toBeGreaterThan(10)
  for (const { data_b64 } of accounts) {
    const read = readCurve({ program: PUMP, data: Buffer.from(data_b64, 'base64') })
    expect(read?.creator).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  }
})

test('a token account of either program says whose it is, and one of another mint says nothing', () => {
  for (const program of [LEGACY, TOKEN_2022])
    expect(readTokenAccount(MINT, tokenAccount(MINT, OWNER, 7n, program))).toEqual({
      ...{ owner: OWNER, amountRaw: 7n },
    })
  expect(readTokenAccount(OTHER, tokenAccount(MINT, OWNER, 7n))).toBeNull()
  // A mint of Token-2022 is no account of tokens, though it is as long.
  expect(readTokenAccount(MINT, extendedMint(MINT, SUPPLY, TEXTS))).toBeNull()
  expect(readMint(MINT, tokenAccount(MINT, OWNER, 7n))).toBeNull()
})

test('an account of several signers is none, though its makers spell a mint or tokens in it', () => {
  const filled = ({ data }: ChainAccount) => Buffer.concat([data], MULTISIG_BYTES)
  for (const program of [LEGACY, TOKEN_2022]) {
    const mint = { program, data: filled(extendedMint(MINT, SUPPLY, TEXTS)) }
    expect(readMint(MINT, mint)).toBeNull()
    const tokens = { program, data: filled(tokenAccount(MINT, OWNER, 7n)) }
    expect(readTokenAccount(MINT, tokens)).toBeNull()
  }
})

const READERS = {
  mint: (account: ChainAccount | null) => readMint(MINT, account),
  metadata: (account: ChainAccount | null) => readMetadata(MINT, account),
  curve: (account: ChainAccount | null) => readCurve(account),
  tokens: (account: ChainAccount | null) => readTokenAccount(MINT, account),
}
const GOOD = {
  mint: extendedMint(MINT, SUPPLY, TEXTS),
  metadata: metaplex(MINT, TEXTS),
  curve: curve(OWNER),
  tokens: tokenAccount(MINT, OWNER, 7n),
}
const KINDS = ['mint', 'metadata', 'curve', 'tokens'] as const

test('an account that is missing, or of another program, is none', () => {
  for (const kind of KINDS) {
    expect(READERS[kind](null)).toBeNull()
    for (const program of ['1'.repeat(32), METAPLEX, PUMP, LEGACY, TOKEN_2022])
      if (program !== GOOD[kind].program)
        expect(READERS[kind]({ ...GOOD[kind], program }), kind).toBeNull()
  }
})

test('an account that is cut anywhere, or damaged, is read or is none, and nothing throws', () => {
  const seed = 20_261_128
  const random = new Random(seed, 1)
  for (const kind of KINDS) {
    const { program, data } = GOOD[kind]
    for (let length = 0; length < data.length; length++)
      READERS[kind]({ program, data: data.subarray(0, length) })
    for (let round = 0; round < 2_000; round++) {
      const damaged = Buffer.from(data)
      for (let n = random.between(1, 4); n > 0; n--)
        damaged[random.below(damaged.length)] = random.below(256)
      READERS[kind]({ program, data: damaged })
    }
  }
})
