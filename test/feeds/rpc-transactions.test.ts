import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../src/base/base58.ts'
import type { JsonRecord } from '../../src/base/json-access.ts'
import { EVENT_LAYOUTS, isEvent } from '../../src/feeds/chain/layouts/decode-event.ts'
import { PUMP_PROGRAM } from '../../src/feeds/chain/layouts/programs.ts'
import { TRADE_EVENT } from '../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { ChainNormaliser } from '../../src/feeds/chain/normalise.ts'
import {
  balancesOfMeta,
  transactionOfLogsFrame,
  transactionOfRpc,
} from '../../src/feeds/chain/transactions/rpc-json.ts'
import {
  type ChainTransaction,
  decodeTransaction,
} from '../../src/feeds/chain/transactions/transaction.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { SUBSCRIBE } from '../../src/feeds/yellowstone/geyser-client.ts'
import { transactionOfGeyser } from '../../src/feeds/yellowstone/geyser-transaction.ts'
import { updateOf } from '../../src/feeds/yellowstone/geyser-update.ts'
import { plainBase58 } from '../oracle/plain-base58.ts'
import { dataLines, dataText, hasData, withData } from './data-folder.ts'
import { presentFields } from './goldens.ts'
import { eventBytes } from './peers/event-bytes.ts'
import { transactionUpdate } from './peers/geyser-forms.ts'
import { EVENT_TAG } from './peers/rpc-forms.ts'

const FILES = ['raw_create_tx_from_gettransaction.json', 'raw_create_tx_from_blocksubscribe.json']

function entryOf(file: string): JsonRecord {
  const value = JSON.parse(dataText('chainstack-pumpfun-bot', file))
  return value.result ?? value
}

function transactionOf(entry: JsonRecord): ChainTransaction {
  const transaction = transactionOfRpc(entry)
  if (transaction === null) throw new Error('the transaction cannot be read')
  return transaction
}

/** Of the others nothing but that they are known counts. */
function isRead(name: string): boolean {
  return EVENT_LAYOUTS.some((layout) => layout.name === name && layout.types.length > 0)
}

function decodedFields(transaction: ChainTransaction): unknown[] {
  const counters = newFeedCounters()
  const events = decodeTransaction(transaction, counters).map((event) => [
    event.layout.name,
    presentFields(event),
  ])
  expect(counters).toEqual(newFeedCounters())
  return events
}

test.skipIf(!hasData)(
  `both transactions decode as their goldens, from logs and CPI${withData}`,
  () => {
    const goldens = dataLines('golden', 'chainstack_events.jsonl').map((line) => JSON.parse(line))
    expect(goldens).toHaveLength(5)
    for (const file of FILES) {
      const expected = goldens
        .filter((golden) => golden.file === file)
        .map((golden) => [golden.event, isRead(golden.event) ? golden.decoded : {}])
      const transaction = transactionOf(entryOf(file))
      expect(transaction.selfCpi).toHaveLength(expected.length)
      expect(decodedFields({ ...transaction, logs: null })).toEqual(expected)
      expect(decodedFields({ ...transaction, selfCpi: null })).toEqual(expected)
      expect(decodedFields({ ...transaction, selfCpi: [] })).toEqual(expected)
      expect(decodedFields(transaction)).toEqual(expected)
    }
  },
)

test.skipIf(!hasData)(`getTransaction gives fee, balances, slot and the token${withData}`, () => {
  const transaction = transactionOf({ ...entryOf(FILES[0]), transactionIndex: 945 })
  const events = new ChainNormaliser(newFeedCounters()).events(transaction)
  const position = {
    slot: 435_946_190,
    txIndex: 945,
    timestamp: 1_785_327_618,
    signature:
      '2RoRJxatbF9Qkv87jei19u7ei2ckyjjnrCHZBRRAXi4GFJi68kra2iPSk7aoQ9Ugnf5FK5Mdp274hMaVSzn6SN5M',
  }
  expect(events).toMatchObject([
    {
      type: 'token_created',
      ordinal: 0,
      decimals: 6,
      supplyRaw: 1_000_000_000_000_000n,
      ...position,
    },
    {
      type: 'swap',
      ordinal: 2,
      chainFeeRaw: 10_000n,
      baseBalanceBeforeRaw: 0n,
      baseBalanceAfterRaw: 96_449_438_144_093n,
      pool: '3jJ83NDorkbFkF1JKbEfFWGeX16aXUiwby9RwJm9kat3',
      ...position,
    },
  ])
})

test.skipIf(!hasData)(`a block entry has neither slot nor index${withData}`, () => {
  const transaction = transactionOf(entryOf(FILES[1]))
  expect(transaction).toMatchObject({ slot: null, txIndex: null, feeRaw: 10_000n, failed: false })
  expect(encodeBase58(decodeBase58(transaction.signature) ?? new Uint8Array())).toBe(
    transaction.signature,
  )
  const [created, swap] = new ChainNormaliser(newFeedCounters()).events(transaction)
  expect(created).toMatchObject({ type: 'token_created', symbol: 'NYXORA', isMayhemMode: false })
  expect(swap).toMatchObject({ baseBalanceAfterRaw: 3_520_371_073_923n, slot: null, ordinal: 1 })
})

test.skipIf(!hasData)(`a failed transaction gives nothing and is counted${withData}`, () => {
  const counters = newFeedCounters()
  const transaction = { ...transactionOf(entryOf(FILES[1])), failed: true }
  expect(new ChainNormaliser(counters).events(transaction)).toEqual([])
  expect(counters.failedTransactions).toBe(1)
})

test('a transaction whose signature no event line can carry is none, however it comes', () => {
  const logsFrame = (signature: string) =>
    transactionOfLogsFrame({
      params: { result: { context: { slot: 1 }, value: { signature, err: null, logs: [] } } },
    })
  const answer = (signature: string) =>
    transactionOfRpc({
      transaction: { signatures: [signature], message: { accountKeys: [] } },
      meta: { err: null },
    })
  const update = (length: number) => {
    const signature = encodeBase58(Buffer.alloc(64, 7))
    const told = { signature, index: 0, hasFailed: false, feeRaw: 0, emitted: [], balances: [] }
    const bytes = SUBSCRIBE.responseSerialize(transactionUpdate(1, told))
    const value: { transaction?: { transaction?: object } } = SUBSCRIBE.responseDeserialize(bytes)
    Object.assign(value.transaction?.transaction ?? {}, { signature: Buffer.alloc(length, 7) })
    return updateOf(value)
  }
  const good = encodeBase58(Buffer.alloc(64, 7))
  expect([logsFrame(good), answer(good), update(64)]).not.toContain(null)
  for (const bad of ['', 'a\nb', good.repeat(2), `${good.slice(1)}0`, good.replace(/.$/, '\ud800')])
    expect([logsFrame(bad), answer(bad)]).toEqual([null, null])
  for (const length of [0, 63, 65, 20_000]) expect(update(length)).toBe(null)
})

test('entries of another shape are no transaction', () => {
  for (const entry of [
    {},
    { transaction: null, meta: {} },
    { transaction: ['AAAA', 'base64'], meta: {} },
    { transaction: ['0OIl', 'base58'], meta: {} },
    { transaction: [1, 2], meta: {} },
    { transaction: { signatures: [], message: { accountKeys: [] } }, meta: {} },
    { transaction: { signatures: ['s'], message: { accountKeys: [] } } },
    { transaction: { signatures: ['s'], message: {} }, meta: {} },
    { transaction: { signatures: ['s'] }, meta: {} },
  ]) {
    expect(transactionOfRpc(entry)).toBeNull()
  }
})

test('events are in the order of the calls they stand under, and programs may be loaded from tables', () => {
  const [mint, other, caller] = [7, 8, 9].map((n) => encodeBase58(Buffer.alloc(32, n)))
  const signature = encodeBase58(Buffer.alloc(64, 7))
  const traded = (token_amount: bigint) =>
    Buffer.concat([EVENT_TAG, eventBytes(TRADE_EVENT, { mint, token_amount })])
  // Keys of the message, then those loaded to be written, then those to be read: the program is the fourth.
  const [first, second, third] = [1n, 2n, 3n].map((amount) => ({
    ...{ programIdIndex: 3, data: traded(amount) },
  }))
  const stray = { programIdIndex: 2, data: traded(9n) }
  const amounts = (transaction: ChainTransaction) =>
    decodeTransaction(transaction, newFeedCounters()).map((event) =>
      isEvent(event, TRADE_EVENT) ? event.integer('token_amount') : null,
    )
  const asText = ({ programIdIndex, data }: typeof first) => ({
    ...{ programIdIndex, data: plainBase58(data) },
  })
  const answered = transactionOf({
    transaction: { signatures: [signature], message: { accountKeys: [caller] } },
    meta: {
      err: null,
      innerInstructions: [
        { index: 4, instructions: [third].map(asText) },
        { index: 0, instructions: [first, stray, second].map(asText) },
      ],
      loadedAddresses: { writable: [other, mint], readonly: [PUMP_PROGRAM] },
    },
  })
  const bytes = (address: string) => Buffer.from(decodeBase58(address) ?? [])
  const streamed = transactionOfGeyser(1, {
    signature: Buffer.alloc(64, 7),
    transaction: { message: { accountKeys: [bytes(caller)] } },
    meta: {
      innerInstructions: [
        { index: 4, instructions: [third] },
        { instructions: [first, stray, second] },
      ],
      loadedWritableAddresses: [other, mint].map(bytes),
      loadedReadonlyAddresses: [bytes(PUMP_PROGRAM)],
    },
  })
  expect(amounts(answered)).toEqual([1n, 2n, 3n])
  expect(amounts(streamed)).toEqual([1n, 2n, 3n])
})

test('balances are summed over the accounts of an owner, and those that cannot be read are left out', () => {
  const entry = (owner: string, amount: string, mint = 'mint') => ({
    ...{ accountIndex: 0, owner, mint, uiTokenAmount: { amount } },
  })
  const broken = [
    null,
    { mint: 'mint', uiTokenAmount: { amount: '1' } },
    { owner: 'a', uiTokenAmount: { amount: '1' } },
    { owner: 'a', mint: 'mint' },
    entry('a', '-1'),
    entry('a', '1.5'),
    entry('a', '1'.repeat(21)),
  ]
  const balances = balancesOfMeta({
    preTokenBalances: [...broken, entry('a', '5'), entry('b', '7'), entry('a', '6')],
    postTokenBalances: [
      ...[entry('a', '20'), ...broken, entry('c', '9')],
      ...[entry('a', '3', 'other'), entry('a', '2')],
    ],
  })
  expect(balances).toEqual([
    { owner: 'a', mint: 'mint', beforeRaw: 11n, afterRaw: 22n },
    { owner: 'b', mint: 'mint', beforeRaw: 7n, afterRaw: 0n },
    { owner: 'c', mint: 'mint', beforeRaw: 0n, afterRaw: 9n },
    { owner: 'a', mint: 'other', beforeRaw: 0n, afterRaw: 3n },
  ])
  expect(balancesOfMeta({ preTokenBalances: [entry('a', '5')] })).toEqual([])
})
