import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { readMint, readTokenAccount } from '../../../src/feeds/hydration/account-layouts.ts'
import {
  extendedMint,
  LEGACY,
  legacyMint,
  MULTISIG_BYTES,
  type Texts,
  TOKEN_2022,
  tokenAccount,
} from '../peers/chain-accounts.ts'
import {
  giveUp,
  MAKER,
  type MintForm,
  makeAccount,
  makeAssociated,
  makeMint,
} from '../peers/program-accounts.ts'
import {
  approve,
  burn,
  closeAccount,
  createAccount,
  extend,
  freezeAccount,
  IMMUTABLE_OWNER,
  initializeMultisig2,
  metadataPointer,
  mintCloseAuthority,
  transferFee,
  updateField,
} from '../peers/token-instructions.ts'
import {
  hasTokenPrograms,
  PAYER,
  TokenPrograms,
  withTokenPrograms,
} from '../peers/token-programs.ts'

/**
 * The decoders read what the token programs themselves wrote. Accounts of Metaplex are made by hand still, in
 * chain-accounts.ts: litesvm has no program of Metaplex in it.
 */

const address = (byte: number) => encodeBase58(new Uint8Array(32).fill(byte))
const [MINT, OWNER, OTHER, ACCOUNT] = [1, 3, 4, 5].map(address)
const TEXTS = { name: 'Toad', symbol: 'TOAD', uri: 'ipfs://toad' }
const SUPPLY = 10n ** 15n
const PROGRAMS = [LEGACY, TOKEN_2022]

const testWith = (sentence: string, run: (programs: TokenPrograms) => void) =>
  test.skipIf(!hasTokenPrograms)(`${sentence}${withTokenPrograms}`, () => run(new TokenPrograms()))

/** The texts of a mint of this form, after what `change` did to it. */
function textsOf(programs: TokenPrograms, form: MintForm, change = () => {}): Texts | null {
  makeMint(programs, MINT, form)
  change()
  const read = readMint(MINT, programs.account(MINT))
  expect(read).toMatchObject({ tokenProgram: TOKEN_2022, supplyRaw: 0n, decimals: 6 })
  return read?.texts ?? null
}

testWith(
  'accounts that tests write by hand are those of the programs, byte for byte',
  (programs) => {
    const [legacy, legacyAccount] = [address(11), address(12)]
    makeMint(programs, legacy, { program: LEGACY })
    makeAccount(programs, legacyAccount, legacy, OWNER, SUPPLY)
    giveUp(programs, legacy, false)
    expect(programs.account(legacy)).toEqual(legacyMint(SUPPLY))
    expect(programs.account(legacyAccount)).toEqual(tokenAccount(legacy, OWNER, SUPPLY, LEGACY))
    makeMint(programs, MINT, { texts: TEXTS })
    const held = makeAssociated(programs, MINT, OWNER, SUPPLY)
    giveUp(programs, MINT, true)
    expect(programs.account(MINT)).toEqual(extendedMint(MINT, SUPPLY, TEXTS))
    expect(programs.account(held)).toEqual(tokenAccount(MINT, OWNER, SUPPLY))
  },
)

testWith(
  'a legacy mint says the same before and after its authorities are given up',
  (programs) => {
    makeMint(programs, MINT, { program: LEGACY, decimals: 9 })
    makeAccount(programs, ACCOUNT, MINT, OWNER, SUPPLY)
    const facts = { tokenProgram: LEGACY, supplyRaw: SUPPLY, decimals: 9, texts: null }
    expect(readMint(MINT, programs.account(MINT))).toEqual(facts)
    expect(programs.account(MINT)?.data.readUInt32LE(0)).toBe(1)
    giveUp(programs, MINT, false)
    const { data } = programs.account(MINT) ?? {}
    // The key stays behind its tag.
    expect([data?.readUInt32LE(0), encodeBase58(data?.subarray(4, 36) ?? Buffer.alloc(0))]).toEqual(
      [...[0, MAKER]],
    )
    expect(readMint(MINT, programs.account(MINT))).toEqual(facts)
  },
)

testWith('a mint of Token-2022 says its texts before and after all is given up', (programs) => {
  makeMint(programs, MINT, { texts: TEXTS })
  makeAssociated(programs, MINT, OWNER, SUPPLY)
  const facts = { tokenProgram: TOKEN_2022, supplyRaw: SUPPLY, decimals: 6, texts: TEXTS }
  expect(readMint(MINT, programs.account(MINT))).toEqual(facts)
  giveUp(programs, MINT, true)
  expect(readMint(MINT, programs.account(MINT))).toEqual(facts)
})

testWith('texts that became longer and then shorter are the last ones', (programs) => {
  const texts = textsOf(programs, { texts: TEXTS }, () => {
    const lengths = ['A Toad of Other Name', 'Tod', ''].map((name) => {
      programs.run(updateField(MINT, MAKER, 'name', name))
      expect(readMint(MINT, programs.account(MINT))?.texts).toEqual({ ...TEXTS, name })
      return programs.account(MINT)?.data.length ?? 0
    })
    // The account shrinks with them: nothing of the old ones stays behind.
    expect(lengths.map((length) => length - lengths[2])).toEqual([20, 3, 0])
    programs.run(updateField(MINT, MAKER, 'symbol', '🐸'), updateField(MINT, MAKER, 'uri', ''))
  })
  expect(texts).toEqual({ name: '', symbol: '🐸', uri: '' })
})

testWith(
  'additional fields, also those that are called as the texts are, change none',
  (programs) => {
    const texts = textsOf(programs, { texts: TEXTS }, () => {
      for (const field of ['twitter', 'Name', 'description'])
        programs.run(updateField(MINT, MAKER, field, `not the ${field}`))
    })
    expect(texts).toEqual(TEXTS)
  },
)

testWith('long texts are cut to the lengths of events', (programs) => {
  const texts = textsOf(programs, { texts: { name: '', symbol: '', uri: '' } }, () => {
    programs.run(updateField(MINT, MAKER, 'name', 'ö'.repeat(257)))
    programs.run(updateField(MINT, MAKER, 'symbol', 'ü'.repeat(300)))
    programs.run(updateField(MINT, MAKER, 'uri', 'x'.repeat(900)))
  })
  expect(texts).toEqual({ name: 'ö'.repeat(256), symbol: 'ü'.repeat(256), uri: 'x'.repeat(512) })
})

testWith('other extensions of a mint are passed over', (programs) => {
  const extensions = [mintCloseAuthority(OWNER), transferFee(100, 5_000n)]
  expect(textsOf(programs, { texts: TEXTS, extensions })).toEqual(TEXTS)
})

testWith(
  'a mint that points to texts elsewhere has none in it, nor has one without extensions',
  (programs) => {
    expect(textsOf(programs, { extensions: [metadataPointer(OTHER)] })).toBeNull()
    makeMint(programs, OTHER)
    expect(programs.account(OTHER)?.data.length).toBe(82)
    expect(readMint(OTHER, programs.account(OTHER))?.texts).toBeNull()
  },
)

testWith('a mint that would be as long as a multisig is made longer, and is read', (programs) => {
  const texts = { ...TEXTS, uri: `ipfs://${'x'.repeat(22)}` }
  expect(textsOf(programs, { texts })).toEqual(texts)
  expect(programs.account(MINT)?.data.length).toBe(MULTISIG_BYTES + 2)
  giveUp(programs, MINT, true)
  expect(programs.account(MINT)).toEqual(extendedMint(MINT, 0n, texts))
})

testWith(
  'an account of tokens says the same while it is plain, delegated, or frozen',
  (programs) => {
    for (const [n, program] of PROGRAMS.entries()) {
      const [mint, account] = [address(20 + n), address(30 + n)]
      makeMint(programs, mint, { program })
      makeAccount(programs, account, mint, OWNER, 9n)
      const held = { owner: OWNER, amountRaw: 9n }
      const read = () => readTokenAccount(mint, programs.account(account))
      expect(read()).toEqual(held)
      programs.run(approve(program, account, OTHER, OWNER, 5n))
      expect(read()).toEqual(held)
      programs.run(freezeAccount(program, account, mint, MAKER))
      expect(read()).toEqual(held)
      expect(programs.account(account)?.data.length).toBe(165)
      expect(readMint(mint, programs.account(account))).toBeNull()
      expect(readTokenAccount(mint, programs.account(mint))).toBeNull()
    }
  },
)

testWith(
  'an account of tokens that is empty holds none, and one that is closed is none',
  (programs) => {
    for (const [n, program] of PROGRAMS.entries()) {
      const mint = address(20 + n)
      makeMint(programs, mint, { program })
      const account = makeAssociated(programs, mint, OWNER, 9n)
      programs.run(burn(program, account, mint, OWNER, 9n))
      const read = () => readTokenAccount(mint, programs.account(account))
      expect(read()).toEqual({ owner: OWNER, amountRaw: 0n })
      programs.run(closeAccount(program, account, OWNER))
      expect(read()).toBeNull()
    }
  },
)

testWith('an extended account of tokens is read, whatever its extensions are', (programs) => {
  makeMint(programs, MINT, { extensions: [transferFee(100, 5_000n)] })
  const account = makeAssociated(programs, MINT, OWNER, 9n)
  const { data } = programs.account(account) ?? {}
  // Its owner cannot change (7), and fees are held back in it (2).
  expect([data?.length, data?.[165]]).toEqual([166 + 4 + 4 + 8, 2])
  expect(readTokenAccount(MINT, programs.account(account))).toEqual({ owner: OWNER, amountRaw: 9n })
  makeMint(programs, OTHER)
  makeAccount(programs, ACCOUNT, OTHER, OWNER, 8n, [IMMUTABLE_OWNER])
  expect(programs.account(ACCOUNT)?.data.length).toBe(166 + 4)
  expect(readTokenAccount(OTHER, programs.account(ACCOUNT))).toEqual({
    ...{ owner: OWNER, amountRaw: 8n },
  })
})

testWith('what is not initialised yet is neither a mint nor an account of tokens', (programs) => {
  const pointer = metadataPointer(MINT)
  programs.run(
    createAccount(PAYER, MINT, TOKEN_2022, 166 + 68, 10n ** 9n),
    extend(MINT, pointer),
    createAccount(PAYER, ACCOUNT, TOKEN_2022, 166 + 4, 10n ** 9n),
    extend(ACCOUNT, IMMUTABLE_OWNER),
    createAccount(PAYER, OTHER, LEGACY, 165, 10n ** 9n),
  )
  for (const account of [MINT, ACCOUNT, OTHER].map((one) => programs.account(one))) {
    expect(readMint(MINT, account)).toBeNull()
    expect(account).not.toBeNull()
    expect(readTokenAccount(MINT, account)).toBeNull()
  }
})

testWith('a multisig whose signers spell a mint or an account of tokens is neither', (programs) => {
  // It begins with how many must sign, how many may, and that it is initialised.
  const head = Buffer.from([1, 11, 1])
  const mint = encodeBase58(Buffer.concat([head, Buffer.alloc(29, 9)]))
  const spelled = [extendedMint(mint, SUPPLY, TEXTS), tokenAccount(mint, OWNER, SUPPLY)]
  for (const [n, { data }] of spelled.entries())
    for (const [m, program] of PROGRAMS.entries()) {
      const filled = Buffer.concat([data, Buffer.alloc(MULTISIG_BYTES)])
      const signers = Array.from({ length: 11 }, (_, i) =>
        encodeBase58(filled.subarray(3 + 32 * i, 35 + 32 * i)),
      )
      const account = address(40 + 2 * n + m)
      programs.run(createAccount(PAYER, account, program, MULTISIG_BYTES, 10n ** 9n))
      programs.run(initializeMultisig2(program, account, signers, 1))
      const made = programs.account(account)
      const end = Math.min(data.length, MULTISIG_BYTES)
      expect(made?.data.subarray(3, end)).toEqual(data.subarray(3, end))
      expect(readMint(mint, made)).toBeNull()
      expect(readTokenAccount(mint, made)).toBeNull()
    }
})
