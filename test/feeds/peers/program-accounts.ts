import { encodeBase58 } from '../../../src/base/base58.ts'
import { associatedTokenAddress } from '../../../src/feeds/chain/layouts/program-address.ts'
import { LEGACY, type Texts, TOKEN_2022 } from './chain-accounts.ts'
import {
  createAccount,
  createAssociated,
  type Extension,
  extend,
  giveUpTexts,
  initializeAccount3,
  initializeMint2,
  initializeTexts,
  metadataPointer,
  mintTo,
  setAuthority,
} from './token-instructions.ts'
import { PAYER, type TokenPrograms } from './token-programs.ts'

/** Mints and accounts of tokens, made by the real token programs. */

/** Has every authority until it is given up. */
export const MAKER = encodeBase58(new Uint8Array(32).fill(7))
/** More than the rent of any account here. */
const RENT_LAMPORTS = 10n ** 9n
const MINT_BYTES = 82
const TOKEN_ACCOUNT_BYTES = 165

export interface MintForm {
  readonly program?: string
  readonly decimals?: number
  /** Of Token-2022 alone; those of a legacy mint stand in an account of Metaplex. */
  readonly texts?: Texts
  /** Further extensions of Token-2022. */
  readonly extensions?: readonly Extension[]
}

export function makeMint(
  programs: TokenPrograms,
  mint: string,
  { program = TOKEN_2022, decimals = 6, texts, extensions = [] }: MintForm = {},
): void {
  const all = texts === undefined ? extensions : [...extensions, metadataPointer(mint)]
  const bytes = bytesOf(MINT_BYTES, all)
  programs.run(
    createAccount(PAYER, mint, program, bytes, RENT_LAMPORTS),
    ...all.map((extension) => extend(mint, extension)),
    initializeMint2(program, mint, decimals, MAKER, MAKER),
  )
  if (texts !== undefined) programs.run(initializeTexts(mint, MAKER, texts))
}

/** Nobody may mint, freeze or rename any more, as pump.fun leaves its mints. */
export function giveUp(programs: TokenPrograms, mint: string, hasTexts: boolean): void {
  const program = programOf(programs, mint)
  programs.run(
    setAuthority(program, mint, 'mint', MAKER, null),
    setAuthority(program, mint, 'freeze', MAKER, null),
  )
  if (hasTexts) programs.run(giveUpTexts(mint, MAKER))
}

/** The account that a wallet has by default, with so many new tokens in it. */
export function makeAssociated(
  programs: TokenPrograms,
  mint: string,
  wallet: string,
  amountRaw: bigint,
): string {
  const program = programOf(programs, mint)
  const account = associatedTokenAddress(wallet, program, mint) ?? ''
  programs.run(createAssociated(PAYER, account, wallet, mint, program))
  programs.run(mintTo(program, mint, account, MAKER, amountRaw))
  return account
}

/** An account at an address of its own, with so many new tokens in it. */
export function makeAccount(
  programs: TokenPrograms,
  account: string,
  mint: string,
  wallet: string,
  amountRaw: bigint,
  extensions: readonly Extension[] = [],
): string {
  const program = programOf(programs, mint)
  const bytes = bytesOf(TOKEN_ACCOUNT_BYTES, extensions)
  programs.run(
    createAccount(PAYER, account, program, bytes, RENT_LAMPORTS),
    ...extensions.map((extension) => extend(account, extension)),
    initializeAccount3(program, account, mint, wallet),
    mintTo(program, mint, account, MAKER, amountRaw),
  )
  return account
}

function programOf(programs: TokenPrograms, mint: string): string {
  return programs.account(mint)?.program ?? LEGACY
}

/** An extended account is as long as the longest plain one, its kind, and each extension behind four bytes. */
function bytesOf(plain: number, extensions: readonly Extension[]): number {
  if (extensions.length === 0) return plain
  return extensions.reduce((sum, { bytes }) => sum + 4 + bytes, TOKEN_ACCOUNT_BYTES + 1)
}
