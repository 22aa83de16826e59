import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { balance, created, migrated, swap, tokenState } from '../../oracle/fixtures.ts'

function engineOf(...events: readonly FeedEvent[]) {
  const engine = new Engine({ clock: 'event' })
  const answers = new EngineQueries(engine, () => {})
  for (const event of events) engine.accept(event)
  const token = (): unknown => JSON.parse(answers.search('mint'))[0] ?? null
  const found = (query: string): readonly unknown[] => JSON.parse(answers.search(query))
  const detail = (): unknown => JSON.parse(answers.detail('mint') ?? 'null')
  return { engine, token, found, detail }
}

const later = { name: 'Known Later', symbol: 'LATER', uri: 'https://later.example/a.json' }

test('a token whose creation was not seen gets its texts, creator, supply and curve', () => {
  const { detail, token, found } = engineOf(
    swap({ signer: 'dev', pool: 'curve', baseBalanceAfterRaw: 10n ** 14n }),
    tokenState({ supplyRaw: 5n * 10n ** 14n }),
  )
  expect(token()).toMatchObject({
    ...later,
    ...{ creator: 'dev', bonding_curve: 'curve', creator_holding_pct: 20 },
    token_program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  })
  expect(found('known la')).toHaveLength(1)
  expect(detail()).toMatchObject({
    history_complete: false,
  })
})

test('the state of a mint that nobody traded makes no token', () => {
  const { engine, found } = engineOf(tokenState())
  expect(found('known later')).toEqual([])
  expect(engine.idle.unknownMints).toBe(1)
})

test('a creation keeps what it said, whether it comes before the state or after it', () => {
  const early = engineOf(created({ slot: 99 }), swap(), tokenState({ supplyRaw: 7n }))
  const late = engineOf(swap(), tokenState({ supplyRaw: 7n }), created({ slot: 99 }))
  const muchLater = engineOf(swap(), tokenState({ supplyRaw: 7n }), created({ slot: 3 }))
  const { name, symbol, uri, creator } = created()
  for (const { token } of [early, late, muchLater])
    expect(token()).toMatchObject({ name, symbol, uri, creator })
  expect(late.token()).toEqual(early.token())
})

test('who was taken for the creator is judged like others when the creation names another one', () => {
  const { token } = engineOf(
    swap({ signer: 'alice', insider: true, baseBalanceAfterRaw: 10n ** 14n }),
    tokenState({ creator: 'alice' }),
    swap({ signer: 'alice', slot: 111, insider: true, baseBalanceAfterRaw: 10n ** 14n }),
  )
  expect(token()).toMatchObject({ creator_holding_pct: 10, insiders_holding: 0 })
  const other = engineOf(
    swap({ signer: 'alice', insider: true, baseBalanceAfterRaw: 10n ** 14n }),
    tokenState({ creator: 'alice' }),
    created({ slot: 3, creator: 'bob' }),
  )
  expect(other.token()).toMatchObject({
    ...{ creator: 'bob', creator_holding_pct: 0, insiders_holding: 10 },
  })
})

test('balances of the chain make the largest holders right, and the curve holds nothing', () => {
  const { token } = engineOf(
    swap({ signer: 'alice', pool: 'curve', baseBalanceAfterRaw: 1_000_000n }),
    tokenState(),
    balance({ wallet: 'curve', balanceRaw: 5n * 10n ** 14n }),
    balance({ wallet: 'whale', balanceRaw: 10n ** 14n }),
    balance({ wallet: 'dev', balanceRaw: 5n * 10n ** 13n }),
  )
  expect(token()).toMatchObject({ creator_holding_pct: 5, insiders_holding: 0, holders: 3 })
})

test('a curve that only the state names is no holder any more', () => {
  const { token } = engineOf(
    swap({ source: 'pump_amm', pool: 'pool', signer: 'alice', baseBalanceAfterRaw: 1_000_000n }),
    balance({ wallet: 'curve', balanceRaw: 5n * 10n ** 14n }),
  )
  expect(token()).toMatchObject({ holders: 2 })
  const { token: told } = engineOf(
    swap({ source: 'pump_amm', pool: 'pool', signer: 'alice', baseBalanceAfterRaw: 1_000_000n }),
    balance({ wallet: 'curve', balanceRaw: 5n * 10n ** 14n }),
    tokenState({ slot: 111 }),
  )
  expect(told()).toMatchObject({ holders: 1, bonding_curve: 'curve' })
})

test('a migration of a token without a creation counts for no creator, and one known later once', () => {
  const { token, detail } = engineOf(
    swap({ signer: 'alice' }),
    tokenState(),
    migrated({ slot: 111 }),
    created({ slot: 3, creator: 'dev' }),
  )
  expect(token()).toMatchObject({ creator: 'dev' })
  expect(detail()).toMatchObject({
    creator_history: { created: 1, migrated: 1 },
  })
})
