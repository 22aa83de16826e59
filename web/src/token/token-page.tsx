import { useComputed } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Page, TraderRecord } from '../../../client/src/mintfeed.ts'
import { useTitle } from '../frame/title.ts'
import { useHeldTable } from '../parts/held-table.ts'
import { LegendButton } from '../parts/legend.tsx'
import { Note } from '../parts/note.tsx'
import { Unanswered } from '../parts/unanswered.tsx'
import { short, shownName } from '../text/chain-text.ts'
import { countOf } from '../text/number-form.ts'
import { Chart } from './chart.tsx'
import { ClassShares } from './class-shares.tsx'
import { Concentration } from './concentration.tsx'
import { CreatorHistory } from './creator-history.tsx'
import { sniperMarks, swapMarks, tradesOf } from './marks.ts'
import { RecordTable, recordKey } from './record-table.tsx'
import { supplyOf } from './supply.ts'
import { Tape } from './tape.tsx'
import { TokenFeed, type TraderOrder } from './token-feed.ts'
import { TokenHead } from './token-head.tsx'
import { WindowStrip } from './window-strip.tsx'

const ORDERS: readonly (readonly [TraderOrder, string])[] = [
  ['pnl', 'PnL'],
  ['holding_amount', 'Holding'],
  ['bought_tokens', 'Tokens bought'],
  ['sold_tokens', 'Tokens sold'],
  ['last_active_ts', 'Last active'],
]

/** Everything about one token, live. */
export function TokenPage({ mint }: { readonly mint: string }) {
  const feed = useMemo(() => new TokenFeed(mint), [mint])
  useEffect(() => () => feed.close(), [feed])
  const supply = useComputed(() => {
    const { market_cap = 0, token_price_usd = 0 } = feed.detail.value ?? {}
    return supplyOf(market_cap, token_price_usd)
  })
  const creator = useComputed(() => feed.detail.value?.creator ?? '')
  const marks = useComputed(() => {
    const { creatorSwaps, followed, snipers } = feed.marked
    const { wallet, swaps } = followed.value
    const tape = feed.tape.value
    return [
      ...swapMarks('creator', tradesOf(creator.value, creatorSwaps.value, tape)),
      ...sniperMarks(snipers.value),
      ...swapMarks('followed', tradesOf(wallet, swaps ?? [], tape)),
    ]
  })
  const detail = feed.detail.value
  useTitle(shownName(detail?.symbol ?? '', mint))
  // The same element, whatever is in it: it may have the focus.
  if (detail === null)
    return (
      <main class="scroll" id="main" tabIndex={-1}>
        <Without feed={feed} mint={mint} />
      </main>
    )
  return (
    <main class="token-page" id="main" tabIndex={-1} data-swaps={detail.swaps}>
      <TokenHead detail={detail} />
      <WindowStrip detail={detail} />
      <div class="token-grid">
        <Chart mint={mint} ageSeconds={detail.age_seconds} supply={supply} marks={marks} />
        <Tape feed={feed} />
        <Holders feed={feed} />
        <Traders feed={feed} />
        <CreatorHistory detail={detail} />
      </div>
    </main>
  )
}

function Without({ feed, mint }: { readonly feed: TokenFeed; readonly mint: string }) {
  return (
    <>
      <h1 class="unseen">Token</h1>
      {feed.isUnknown.value ? (
        <Note title="Nobody knows this mint yet">
          {short(mint)} is followed: its first trade opens this page.
        </Note>
      ) : (
        <Unanswered problem={feed.problem.value} />
      )}
    </>
  )
}

function Holders({ feed }: { readonly feed: TokenFeed }) {
  const { detail, holders } = feed
  const live = useComputed(() => holders.value?.items ?? [])
  const held = useHeldTable(live, recordKey)
  return (
    <section class="panel holders" aria-label="Holders">
      <div class="panel-head">
        <h2>Holders</h2>
        <span class="faint">{shownOf(holders.value)}</span>
        <span class="held">{held.note}</span>
        <span class="spring" />
        <LegendButton />
      </div>
      {detail.value !== null && <ClassShares detail={detail.value} />}
      <Concentration holders={holders.value?.items ?? []} />
      <div class="panel-rows" {...held.box}>
        <RecordTable records={held.rows} columns={['wallet', 'holding', 'worth', 'pnl']} />
        {holders.value?.total === 0 && <Note title="Nobody holds it now" />}
      </div>
    </section>
  )
}

/** How many records there are, and how many of them are shown. */
function shownOf(page: Page<TraderRecord> | null): string {
  return page === null ? '' : countOf(page.items.length, page.total)
}

function Traders({ feed }: { readonly feed: TokenFeed }) {
  const { marked } = feed
  const { wallet } = marked.followed.value
  const live = useComputed(() => feed.traders.value?.items ?? [])
  const held = useHeldTable(live, recordKey, feed.orderBy.value)
  const unmarked = useComputed(() => {
    const { wallet, swaps, problem } = marked.followed.value
    if (swaps === null || tradesOf(wallet, swaps, feed.tape.value).length > 0) return problem
    return 'This wallet has no trades of this token.'
  })
  return (
    <section class="panel traders" aria-label="Traders">
      <div class="panel-head">
        <h2>Traders</h2>
        <span class="faint">{shownOf(feed.traders.value)}</span>
        <span class="held">{held.note}</span>
        <span class="spring" />
        <FollowField wallet={wallet} onWallet={(text) => void marked.follow(text)} />
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
      {unmarked.value !== null && (
        <p class="problem" role="alert">
          {unmarked}
        </p>
      )}
      <div class="panel-rows" {...held.box}>
        <RecordTable
          records={held.rows}
          columns={['wallet', 'holding', 'bought', 'sold', 'trades', 'pnl', 'active', 'mark']}
          marked={wallet}
          onMark={(next) => void marked.follow(next === wallet ? '' : next)}
        />
      </div>
    </section>
  )
}

/** What is typed stays while the page moves; a wallet that is chosen in the table takes its place. */
function FollowField({
  wallet,
  onWallet,
}: {
  readonly wallet: string
  readonly onWallet: (text: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (input.current !== null) input.current.value = wallet
  }, [wallet])
  return (
    <input
      ref={input}
      class="field follow"
      placeholder="Mark a wallet on the chart"
      aria-label="Mark the trades of a wallet on the chart"
      spellcheck={false}
      onChange={({ currentTarget }) => onWallet(currentTarget.value)}
    />
  )
}
