import { expect, test } from 'vitest'
import { HistorySources } from '../../../src/app/feeds/history-sources.ts'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { readConfig } from '../../../src/config/config.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { TRADE_EVENT } from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { CollectingSink } from '../../feeds/collecting-sink.ts'
import { pump } from '../../feeds/peers/program-forms.ts'
import { blockAnswer } from '../../feeds/peers/rpc-forms.ts'
import { rpcServer } from '../../feeds/solana/rpc-server.ts'
import { until } from '../../feeds/until.ts'
import { swap } from '../../oracle/fixtures.ts'

const MINT = encodeBase58(Buffer.alloc(32, 7))
const SECONDS = 1_790_000_000

function bought(index: number, amount: bigint) {
  const values = { mint: MINT, is_buy: true, token_amount: amount, timestamp: BigInt(SECONDS) }
  return {
    ...{ signature: encodeBase58(Buffer.alloc(64, index + 1)), index, hasFailed: false },
    ...{ feeRaw: 5_000, balances: [], emitted: [pump(TRADE_EVENT, values)] },
  }
}

test('a long outage that is fetched beside lacks the trades that PumpPortal delivered in it', async () => {
  const rpc = await rpcServer()
  const transactions = [bought(0, 700_000n), bought(1, 300_000n)]
  const [known, unknown] = transactions
  const engine = new Engine({ clock: 'event' })
  engine.events([
    swap({
      ...{ slot: null, txIndex: null, mint: MINT, signature: known.signature, timestamp: SECONDS },
      ...{ direction: 'buy', baseRaw: 700_001n },
    }),
  ])
  const config = readConfig([], {
    ...{ FEED: 'solana', SOLANA_RPC_URL: rpc.url, SOLANA_WS_URL: 'ws://127.0.0.1:9' },
  })
  const sources = new HistorySources(config, () => {})
  const feed = sources.feed({ from: 1_000, to: 1_000, seconds: SECONDS }, 1_000, engine)
  const sink = new CollectingSink()
  let hasEnded = false
  const ended = feed.start(sink).then(() => {
    hasEnded = true
  })
  const block = (slot: number) => ({ slot, parentSlot: slot - 1, timestamp: SECONDS })
  const answers: Readonly<Record<string, unknown>> = {
    ...{ getBlocks: [999, 1_000], getSlot: 1_003, getFirstAvailableBlock: 0 },
    getBlock: blockAnswer({ ...block(1_000), transactions }),
  }
  let answered = 0
  await until(() => {
    for (const { method, answer } of rpc.questions.slice(answered)) {
      answer(answers[method])
      answered++
    }
    return hasEnded
  })
  await ended
  expect(sink.all).toMatchObject([{ type: 'swap', signature: unknown.signature }])
})
