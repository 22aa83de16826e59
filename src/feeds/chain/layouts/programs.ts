import { USDC_MINT } from '../../../events/platform.ts'

/** The two programs whose events are read, and the mints that stand for SOL. */

export type ProgramName = 'pump' | 'pump_amm'

export const PUMP_PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
export const AMM_PROGRAM = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'

/** The two programs of tokens, that of their accounts by owner, and that of the texts of legacy ones. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/** How events write SOL as quote mint: 32 zero bytes. */
export const ZERO_ADDRESS = '11111111111111111111111111111111'
export const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112'

/** The program's name, null for the programs that are not read. */
export function programName(address: string): ProgramName | null {
  if (address === PUMP_PROGRAM) return 'pump'
  return address === AMM_PROGRAM ? 'pump_amm' : null
}

/** What a pool or curve may be quoted in that is itself a coin: not SOL and not USDC. */
export function isCoinMint(mint: string): boolean {
  return !isSolMint(mint) && mint !== USDC_MINT
}

export function isSolMint(mint: string): boolean {
  return mint === ZERO_ADDRESS || mint === WRAPPED_SOL_MINT
}

/**
 * How sure the chain has to be of what is read: no block that had this word was ever taken back. Since the consensus of
 * October 2026 it is said to mean the same as "finalized", and the word is to go one day: it stands here only.
 */
export const COMMITMENT = 'confirmed'

/** The same in the words of Yellowstone. */
export const GEYSER_COMMITMENT = 'CONFIRMED'
