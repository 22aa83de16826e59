import fc from 'fast-check'
import { expect, test } from 'vitest'
import { balance, created, swap } from '../../oracle/fixtures.ts'
import '../../property-seed.ts'
import { engineOf } from '../../store/restoring.ts'

/** Of up to 40 wallets; no two are equal as doubles, so that it is plain which are the largest. */
const balances = fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 60n }), {
  minLength: 11,
  maxLength: 40,
  selector: Number,
})
const changes = fc.array(fc.tuple(fc.nat(39), fc.bigInt({ min: 0n, max: 2n ** 60n })), {
  maxLength: 60,
})

test('the ten largest balances have the sum that integers have, whatever changed between two reads', () => {
  const run = (first: readonly bigint[], later: readonly (readonly [number, bigint])[]) => {
    const engine = engineOf('event')
    const held = new Map<number, bigint>()
    let slot = 100
    const give = (wallet: number, balanceRaw: bigint) => {
      if ([...held].some(([other, raw]) => other !== wallet && Number(raw) === Number(balanceRaw)))
        return
      slot += 1
      held.set(wallet, balanceRaw)
      engine.events([balance({ mint: 'A', wallet: `wallet ${wallet}`, slot, balanceRaw })])
    }
    engine.events([created({ slot: 1, mint: 'A' }), swap({ mint: 'A', slot: 5, txIndex: 0 })])
    engine.events([balance({ mint: 'A', wallet: 'alice', slot: 6, balanceRaw: 0n })])
    for (const [wallet, raw] of first.entries()) give(wallet, raw)
    for (const [wallet, raw] of later) {
      give(wallet, raw)
      const ordered = [...held.values()].sort((a, b) => (a < b ? 1 : -1))
      const sum = ordered.slice(0, 10).reduce((total, one) => total + one, 0n)
      const holders = ordered.filter((one) => one > 0n).length
      if (holders > 10) expect(engine.top.sum(0)).toBe(Number(sum))
    }
  }
  fc.assert(fc.property(balances, changes, run), { numRuns: 60 })
})
