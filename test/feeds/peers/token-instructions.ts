import { createHash } from 'node:crypto'
import { key, LEGACY, type Texts, TOKEN_2022, text, u32, u64 } from './chain-accounts.ts'

/**
 * Instructions for the token programs, written down by hand: `TokenInstruction` in `token/program-2022/src/instruction.rs`,
 * the folders below its `extension`, and `token-metadata/interface/src/instruction.rs`, all of
 * github.com/solana-labs/solana-program-library.
 */

export const SYSTEM = '1'.repeat(32)
export const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

export interface Instruction {
  readonly program: string
  readonly accounts: readonly string[]
  /** Those of the accounts that sign. */
  readonly signers: readonly string[]
  readonly data: Buffer
}

/** What an extension needs before its mint or account is initialised. */
export interface Extension {
  /** Of its content. */
  readonly bytes: number
  /** Its instruction, behind the account that it extends. */
  readonly data: Buffer
}

export type Authority = 'mint' | 'freeze'
/** A field of the texts; any other name is one of the additional fields. */
export type Field = keyof Texts | (string & {})

const AUTHORITIES: readonly Authority[] = ['mint', 'freeze']
const FIELDS: readonly Field[] = ['name', 'symbol', 'uri']

/** A key that may be none: a byte, and the key behind it. */
function optionalKey(address: string | null): Buffer {
  return address === null ? Buffer.from([0]) : Buffer.concat([Buffer.from([1]), key(address)])
}

function instruction(
  program: string,
  accounts: readonly string[],
  signers: readonly string[],
  ...data: readonly (number | Uint8Array)[]
): Instruction {
  const parts = data.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part))
  return { program, accounts, signers, data: Buffer.concat(parts) }
}

export function createAccount(
  payer: string,
  address: string,
  program: string,
  bytes: number,
  lamports: bigint,
): Instruction {
  const data = [u32(0), u64(lamports), u64(BigInt(bytes)), key(program)]
  return instruction(SYSTEM, [payer, address], [payer, address], ...data)
}

export function initializeMint2(
  program: string,
  mint: string,
  decimals: number,
  authority: string,
  freezeAuthority: string | null,
): Instruction {
  const data = [20, decimals, key(authority), optionalKey(freezeAuthority)]
  return instruction(program, [mint], [], ...data)
}

export function initializeAccount3(
  program: string,
  account: string,
  mint: string,
  owner: string,
): Instruction {
  return instruction(program, [account, mint], [], 18, key(owner))
}

/** An account whose tokens move once `needed` of the signers have signed. */
export function initializeMultisig2(
  program: string,
  account: string,
  signers: readonly string[],
  needed: number,
): Instruction {
  return instruction(program, [account, ...signers], [], 19, needed)
}

/** The account of a wallet at the address that the program derives. */
export function createAssociated(
  payer: string,
  account: string,
  wallet: string,
  mint: string,
  program: string,
): Instruction {
  return instruction(ASSOCIATED, [payer, account, wallet, mint, SYSTEM, program], [payer], 0)
}

export function mintTo(
  program: string,
  mint: string,
  account: string,
  authority: string,
  amountRaw: bigint,
): Instruction {
  return instruction(program, [mint, account, authority], [authority], 7, u64(amountRaw))
}

/** @param next null: nobody has it any more */
export function setAuthority(
  program: string,
  of: string,
  kind: Authority,
  authority: string,
  next: string | null,
): Instruction {
  const data = [6, AUTHORITIES.indexOf(kind), optionalKey(next)]
  return instruction(program, [of, authority], [authority], ...data)
}

export function approve(
  program: string,
  account: string,
  delegate: string,
  owner: string,
  amountRaw: bigint,
): Instruction {
  return instruction(program, [account, delegate, owner], [owner], 4, u64(amountRaw))
}

export function burn(
  program: string,
  account: string,
  mint: string,
  owner: string,
  amountRaw: bigint,
): Instruction {
  return instruction(program, [account, mint, owner], [owner], 8, u64(amountRaw))
}

export function closeAccount(program: string, account: string, owner: string): Instruction {
  return instruction(program, [account, owner, owner], [owner], 9)
}

export function freezeAccount(
  program: string,
  account: string,
  mint: string,
  authority: string,
): Instruction {
  return instruction(program, [account, mint, authority], [authority], 10)
}

/** An instruction of Token-2022 that comes before the mint or the account is initialised. */
export function extend(account: string, { data }: Extension): Instruction {
  return instruction(TOKEN_2022, [account], [], data)
}

export const IMMUTABLE_OWNER: Extension = { bytes: 0, data: Buffer.from([22]) }

/** Nobody may move the pointer; `at`: where the texts stand. */
export function metadataPointer(at: string): Extension {
  return { bytes: 64, data: Buffer.concat([Buffer.from([39, 0]), Buffer.alloc(32), key(at)]) }
}

export function mintCloseAuthority(authority: string): Extension {
  return { bytes: 32, data: Buffer.concat([Buffer.from([25]), optionalKey(authority)]) }
}

/** A fee that nobody may change; accounts of the mint have an extension for it too. */
export function transferFee(basisPoints: number, maximumRaw: bigint): Extension {
  const [head, fee] = [Buffer.from([26, 0, 0, 0]), Buffer.alloc(2)]
  fee.writeUInt16LE(basisPoints)
  return { bytes: 108, data: Buffer.concat([head, fee, u64(maximumRaw)]) }
}

/** The first eight bytes of the hash of a name tell instructions of the texts from all others. */
function textsInstruction(name: string): Buffer {
  const hash = createHash('sha256').update(`spl_token_metadata_interface:${name}`).digest()
  return hash.subarray(0, 8)
}

/** The texts of a mint of Token-2022, in the mint itself. */
export function initializeTexts(
  mint: string,
  authority: string,
  { name, symbol, uri }: Texts,
): Instruction {
  const accounts = [mint, authority, mint, authority]
  const data = [textsInstruction('initialize_account'), text(name), text(symbol), text(uri)]
  return instruction(TOKEN_2022, accounts, [authority], ...data)
}

export function updateField(
  mint: string,
  authority: string,
  field: Field,
  value: string,
): Instruction {
  const place = FIELDS.indexOf(field)
  const named = place < 0 ? [FIELDS.length, text(field)] : [place]
  const data = [textsInstruction('updating_field'), ...named, text(value)]
  return instruction(TOKEN_2022, [mint, authority], [authority], ...data)
}

/** Nobody may change the texts any more. */
export function giveUpTexts(mint: string, authority: string): Instruction {
  const data = [textsInstruction('update_the_authority'), Buffer.alloc(32)]
  return instruction(TOKEN_2022, [mint, authority], [authority], ...data)
}

/** Accounts that no instruction of these writes. */
export const PROGRAMS: readonly string[] = [SYSTEM, ASSOCIATED, LEGACY, TOKEN_2022]
