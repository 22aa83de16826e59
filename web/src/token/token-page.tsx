import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Swap } from '../../../client/src/mintfeed.ts'
import { client } from '../feed/connection.ts'
import { Note } from '../parts/note.tsx'
import { short } from '../text/chain-text.ts'
import { exact } from '../text/number-form.ts'
import { parseTime } from '../text/time-form.ts'
import { Chart } from './chart.tsx'
import { ClassShares } from './class-shares.tsx'
import { Concentration } from './concentration.tsx'
import { CreatorHistory } from './creator-history.tsx'
import { sniperMarks, swapMarks } from './marks.ts'
import { RecordTable } from './record-table.tsx'
import { Tape } from './tape.tsx'
import { TokenFeed, type TraderOrder } from './token-feed.ts'
import { TokenHead } from './token-head.tsx'

const ORDERS: readonly (readonly [TraderOrder, string])[] = [
  ['pnl', 'PnL'],
  ['holding_amount', 'Holding'],
  ['bought_tokens', 'Bought'],
  ['sold_tokens', 'Sold'],
  ['last_active_ts', 'Last active'],
]

/** Everything about one token, live. */
export function TokenPage({ mint }: { readonly mint: string }) {
  const feed = useMemo(() => new TokenFeed(mint), [mint])
  useEffect(() => () => feed.close(), [feed])
  const followed = useSignal<readonly Swap[]>([])
  const supply = useComputed(() => {
    const { market_cap = 0, token_price_usd = 0 } = feed.detail.value ?? {}
    // Steps of a token: the quotient of two rounded numbers must not make the chart tremble.
    return token_price_usd === 0 ? 1e9 : Math.round(market_cap / token_price_usd)
  })
  const marks = useComputed(() => [
    ...swapMarks('creator', feed.creatorSwaps.value),
    ...sniperMarks(feed.snipers.value),
    ...swapMarks('followed', followed.value),
  ])
  const detail = feed.detail.value
  if (detail === null) return <Without feed={feed} mint={mint} />
  return (
    <main class="token-page" id="main" data-swaps={detail.swaps}>
      <TokenHead detail={detail} />
      <div class="token-grid">
        <div class="token-main">
          <Chart
            mint={mint}
            createdAt={parseTime(detail.timestamp) ?? 0}
            supply={supply}
            marks={marks}
          />
          <Traders feed={feed} onFollow={(swaps) => (followed.value = swaps)} />
        </div>
        <div class="token-side">
          <Tape feed={feed} />
          <Holders feed={feed} />
          <CreatorHistory detail={detail} />
        </div>
      </div>
    </main>
  )
}

function Without({ feed, mint }: { readonly feed: TokenFeed; readonly mint: string }) {
  const { isUnknown, problem } = feed
  return (
    <main class="scroll" id="main">
      {isUnknown.value ? (
        <Note title="Nobody knows this mint yet">
          {short(mint)} is followed: its first trade opens this page.
        </Note>
      ) : (
        <Note title={problem.value === null ? 'Loading' : 'The service did not answer'}>
          {problem}
        </Note>
      )}
    </main>
  )
}

function Holders({ feed }: { readonly feed: TokenFeed }) {
  const { detail, holders } = feed
  return (
    <section class="panel" aria-label="Holders">
      <div class="panel-head">
        <h2>Holders</h2>
        <span class="faint">{holders.value !== null && exact(holders.value.total)}</span>
      </div>
      {detail.value !== null && <ClassShares detail={detail.value} />}
      <Concentration holders={holders.value?.items ?? []} />
      <div class="panel-rows">
        <RecordTable
          records={holders.value?.items ?? []}
          columns={['wallet', 'holding', 'worth', 'pnl']}
        />
        {holders.value?.total === 0 && <Note title="Nobody holds it now" />}
      </div>
    </section>
  )
}

function Traders({
  feed,
  onFollow,
}: {
  readonly feed: TokenFeed
  readonly onFollow: (swaps: readonly Swap[]) => void
}) {
  const follow = async (wallet: string) => {
    if (wallet.trim() === '') return onFollow([])
    const swaps = await client.swaps(feed.mint, { wallet: wallet.trim(), limit: 200 })
    onFollow(swaps.ok ? swaps.data.items : [])
  }
  return (
    <section class="panel" aria-label="Traders">
      <div class="panel-head">
        <h2>Traders</h2>
        <span class="faint">{feed.traders.value !== null && exact(feed.traders.value.total)}</span>
        <span class="spring" />
        <input
          class="field wide-only follow"
          placeholder="Mark a wallet on the chart"
          aria-label="Mark the trades of a wallet on the chart"
          onChange={({ currentTarget }) => void follow(currentTarget.value)}
        />
        <select
          class="select"
          aria-label="Order of the traders"
          value={feed.orderBy}
          onChange={({ currentTarget: { value } }) => {
            const order = ORDERS.find(([key]) => key === value)
            if (order !== undefined) feed.order(order[0])
          }}
        >
          {ORDERS.map(([key, label]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div class="panel-rows">
        <RecordTable
          records={feed.traders.value?.items ?? []}
          columns={['wallet', 'holding', 'bought', 'sold', 'trades', 'pnl', 'active']}
        />
      </div>
    </section>
  )
}
