import type { Engine } from '../../src/engine/engine.ts'
import { ROWS_PER_PAGE, type Rows } from '../../src/engine/memory/rows.ts'
import type { Random } from '../oracle/random.ts'

/** Rows of each kind left on the first page: a short history ends on the second one. */
const TOKENS_LEFT_MAX = 3
const WALLETS_LEFT_MAX = 5
const POSITIONS_LEFT_MAX = 10
const RUNS_LEFT_MAX = 3
const RECORDS_LEFT_MAX = 30

/**
 * Takes rows that nothing names, so that those of the events to come lie on both sides of the end of
 * a page. No answer can tell.
 */
export function fillFirstPages({ state }: Engine, random: Random): void {
  const { book, positions, links, dormant, tape } = state
  const tokens = ROWS_PER_PAGE - random.integer(0, TOKENS_LEFT_MAX)
  for (let i = 0; i < tokens; i += 1) state.coverToken(book.token(`mint of no event ${i}`))
  const wallets = ROWS_PER_PAGE - random.integer(0, WALLETS_LEFT_MAX)
  for (let i = 0; i < wallets; i += 1) state.coverWallet(book.wallet(`wallet of no event ${i}`))
  const left = random.integer(0, POSITIONS_LEFT_MAX)
  fillPage(positions, left)
  fillPage(links, left)
  fillPage(dormant.runs, random.integer(0, RUNS_LEFT_MAX))
  fillPage(dormant.wallets, random.integer(0, WALLETS_LEFT_MAX))
  const records = ROWS_PER_PAGE - random.integer(0, RECORDS_LEFT_MAX)
  while (tape.count < records) tape.add()
}

/** Takes rows until so many are left on the first page. */
export function fillPage(rows: Rows, left: number): void {
  while (rows.count < ROWS_PER_PAGE - left) rows.add()
}
