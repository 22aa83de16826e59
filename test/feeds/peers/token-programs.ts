import type { LiteSvm } from 'litesvm/dist/internal.js'
import { decodeBase58, encodeBase58 } from '../../../src/base/base58.ts'
import { type ChainAccount, type ChainAccounts, key, LEGACY, TOKEN_2022 } from './chain-accounts.ts'
import { type Instruction, PROGRAMS } from './token-instructions.ts'

/**
 * The package's inner module: it runs the programs, and leaves out the Solana client that the outer one loads. Its
 * programs are compiled into it: SPL Token, Token-2022 and associated accounts, but not Metaplex.
 */
const loaded = await import('litesvm/dist/internal.js').catch(() => null)

/** It is native code, and not every system has a build of it. */
export const hasTokenPrograms = loaded !== null
const LACK = 'litesvm is not installed, or has no build for this system'
/** Stands in the name of tests that are skipped without the programs. */
export const withTokenPrograms = hasTokenPrograms ? '' : ` (skipped: ${LACK})`
if (!hasTokenPrograms)
  console.log(`${LACK}: tests of accounts that the token programs make are skipped.`)

/** The most that the chain takes in one transaction; litesvm takes more. */
const TRANSACTION_BYTES_MAX = 1_232
const LARGEST_MAX = 20
const AMOUNT_AT = 64
const TOKEN_ACCOUNT_BYTES = 165
const KIND_AT = 165
const ACCOUNT_KIND = 2
const PAYER_LAMPORTS = 10n ** 14n
export const PAYER = encodeBase58(new Uint8Array(32).fill(201))

/** The token programs in a chain of their own, which begins empty. No signature is checked. */
export class TokenPrograms {
  readonly #chain: LiteSvm

  constructor() {
    if (loaded === null) throw new Error(LACK)
    this.#chain = new loaded.LiteSvm()
    this.#chain.setSigverify(false)
    // The same transaction may come again: none is known any more.
    this.#chain.setTransactionHistory(0n)
    this.#chain.airdrop(key(PAYER), PAYER_LAMPORTS)
  }

  /** One transaction; a program that refuses it throws with the program's own log. */
  run(...instructions: readonly Instruction[]): void {
    const bytes = transaction(instructions, this.#chain.latestBlockhash())
    if (bytes.length > TRANSACTION_BYTES_MAX)
      throw new Error(`The chain takes ${TRANSACTION_BYTES_MAX} bytes, not ${bytes.length}.`)
    const result = this.#chain.sendLegacyTransaction(bytes)
    if ('err' in result)
      throw new Error(`${String(result.err())}\n${result.meta().logs().join('\n')}`)
  }

  /** Null: there is none. */
  account(address: string): ChainAccount | null {
    const account = this.#chain.getAccount(key(address))
    if (account === null || account.lamports() === 0n) return null
    return { program: encodeBase58(account.owner()), data: Buffer.from(account.data()) }
  }

  /** Tells a mock server all accounts of the token programs, and the largest of each mint as a node names them. */
  tell(known: ChainAccounts): void {
    const ofMints = new Map<string, { readonly address: string; readonly amountRaw: bigint }[]>()
    for (const program of [LEGACY, TOKEN_2022])
      for (const found of this.#chain.getProgramAccounts(key(program))) {
        const [address, data] = [encodeBase58(found.address), Buffer.from(found.account().data())]
        known.accounts.set(address, { program, data })
        if (!holdsTokens(data)) continue
        const mint = encodeBase58(data.subarray(0, 32))
        const ofMint = ofMints.get(mint) ?? []
        ofMint.push({ address, amountRaw: data.readBigUInt64LE(AMOUNT_AT) })
        ofMints.set(mint, ofMint)
      }
    for (const [mint, ofMint] of ofMints) {
      ofMint.sort((a, b) => Number(b.amountRaw - a.amountRaw))
      const largest = ofMint.slice(0, LARGEST_MAX).map(({ address }) => address)
      known.largest.set(mint, largest)
    }
  }
}

function holdsTokens(data: Buffer): boolean {
  if (data.length <= TOKEN_ACCOUNT_BYTES) return data.length === TOKEN_ACCOUNT_BYTES
  return data[KIND_AT] === ACCOUNT_KIND
}

/** A number of Solana's short vectors: seven bits a byte, low ones first. */
function compact(value: number): Buffer {
  return value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([128 | (value & 127)]), compact(value >> 7)])
}

/** A transaction of the first version: signatures, which are left empty, and the message that they would sign. */
function transaction(instructions: readonly Instruction[], blockhash: string): Buffer {
  const signers = new Set([PAYER, ...instructions.flatMap((one) => one.signers)])
  const others = new Set(instructions.flatMap((one) => [...one.accounts, one.program]))
  const written = [...others].filter((one) => !signers.has(one) && !PROGRAMS.includes(one))
  const programs = [...others].filter((one) => PROGRAMS.includes(one))
  // All are written but the programs, which stand last.
  const addresses = [...signers, ...written, ...programs]
  const placeOf = (address: string) => addresses.indexOf(address)
  const calls = instructions.flatMap(({ program, accounts, data }) => [
    ...[Buffer.from([placeOf(program)]), compact(accounts.length)],
    ...[Buffer.from(accounts.map(placeOf)), compact(data.length), data],
  ])
  return Buffer.concat([
    ...[compact(signers.size), Buffer.alloc(64 * signers.size)],
    ...[Buffer.from([signers.size, 0, programs.length]), compact(addresses.length)],
    ...[...addresses.map(key), decodeBase58(blockhash) ?? Buffer.alloc(32)],
    ...[compact(instructions.length), ...calls],
  ])
}
