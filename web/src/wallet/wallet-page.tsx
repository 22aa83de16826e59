import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { TraderRecord } from '../../../client/src/mintfeed.ts'
import { tokenPath } from '../frame/route.ts'
import { useTitle } from '../frame/title.ts'
import { Copyable } from '../parts/copyable.tsx'
import { ExplorerButton, TradeAge } from '../parts/explorer-link.tsx'
import { useHeldTable } from '../parts/held-table.ts'
import { LabelMark } from '../parts/label-mark.tsx'
import { Note } from '../parts/note.tsx'
import { RefusedTrades } from '../parts/refused-trades.tsx'
import { TradeDollars } from '../parts/trade-dollars.tsx'
import { Unanswered } from '../parts/unanswered.tsx'
import { short, shown, shownName } from '../text/chain-text.ts'
import { compact, countOf, exact, exactUsd, money, signedMoney, usd } from '../text/number-form.ts'
import { signClass } from '../text/sign-class.ts'
import { swapName } from '../token/marks.ts'
import { RecordTable, recordKey } from '../token/record-table.tsx'
import { WalletFeed } from './wallet-feed.ts'
import { Summary } from './wallet-summary.tsx'

/** One wallet over all tokens. */
export function WalletPage({ wallet }: { readonly wallet: string }) {
  const feed = useMemo(() => new WalletFeed(wallet), [wallet])
  useEffect(() => () => feed.close(), [feed])
  useTitle(`Wallet ${shown(short(wallet))}`)
  const page = feed.records.value
  if (page === null)
    return (
      <main class="scroll" id="main" tabIndex={-1}>
        <h1 class="unseen">Wallet</h1>
        <Unanswered problem={feed.problem.value} />
      </main>
    )
  return (
    <main class="scroll" id="main" tabIndex={-1}>
      <div class="page-head">
        <h1>Wallet</h1>
        <LabelMark label={feed.summary.value?.label} />
        <Copyable text={wallet} what="wallet" />
        <ExplorerButton kind="account" name={wallet} />
      </div>
      <Totals records={page.items} total={page.total} />
      <Summary summary={feed.summary.value} />
      <div class="two">
        <Tokens feed={feed} />
        <LastTrades
          feed={feed}
          names={new Map(page.items.map((item) => [item.mint, item.symbol]))}
        />
      </div>
    </main>
  )
}

function Tokens({ feed }: { readonly feed: WalletFeed }) {
  const live = useComputed(() => feed.records.value?.items ?? [])
  const held = useHeldTable(live, recordKey)
  const total = feed.records.value?.total ?? 0
  return (
    <section class="panel" aria-label="Tokens" {...held.box}>
      <div class="panel-head">
        <h2>Tokens</h2>
        <span class="faint">{countOf(held.rows.length, total)}, traded last first</span>
        <span class="held">{held.note}</span>
      </div>
      <RecordTable
        records={held.rows}
        columns={['token', 'worth', 'bought', 'sold', 'trades', 'pnl', 'active']}
      />
      {total === 0 && <Note title="No trades">This wallet has not traded here yet.</Note>}
    </section>
  )
}

function Totals({
  records,
  total,
}: {
  readonly records: readonly TraderRecord[]
  readonly total: number
}) {
  const sum = (read: (record: TraderRecord) => number) =>
    records.reduce((all, record) => all + read(record), 0)
  const realized = sum((record) => record.realized_pnl_usd)
  const unrealized = sum((record) => record.unrealized_pnl_usd)
  const worth = sum((record) => record.holding_usd)
  const trades = sum((record) => record.trades)
  const won = records.filter(({ pnl }) => pnl > 0).length
  return (
    <dl class="facts-row">
      <Total name="PnL" value={realized + unrealized} />
      <Total name="Realised" value={realized} />
      <Total name="Unrealised" value={unrealized} />
      <div>
        <dt>Worth now</dt>
        <dd title={exactUsd(worth)}>{money(worth)}</dd>
      </div>
      <div>
        <dt>Tokens in profit</dt>
        <dd>
          {won} of {records.length}
        </dd>
      </div>
      <div>
        <dt>Trades</dt>
        <dd title={exact(trades)}>{compact(trades)}</dd>
      </div>
      {total > records.length && (
        <div title="The sums are of the tokens traded last">
          <dt>Counted</dt>
          <dd>
            {exact(records.length)} of {exact(total)} tokens
          </dd>
        </div>
      )}
    </dl>
  )
}

function Total({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={signClass(value)} title={`$${value}`}>
        {signedMoney(value)}
      </dd>
    </div>
  )
}

function LastTrades({
  feed,
  names,
}: {
  readonly feed: WalletFeed
  readonly names: ReadonlyMap<string, string>
}) {
  const held = useHeldTable(feed.trades, swapName)
  return (
    <section class="panel" aria-label="Last trades" {...held.box}>
      <div class="panel-head">
        <h2>Last trades</h2>
        <span class="held">{held.note}</span>
      </div>
      <RefusedTrades refusal={feed.refusal.value} />
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Age</th>
            <th scope="col">Side</th>
            <th scope="col">Token</th>
            <th scope="col" class="number">
              USD
            </th>
            <th scope="col" class="number">
              Market cap
            </th>
          </tr>
        </thead>
        <tbody>
          {held.rows.map(({ row: swap }, index) => (
            <tr key={`${swap.signature} ${index}`}>
              <td class="faint">
                <TradeAge swap={swap} />
              </td>
              <td class={swap.direction === 'buy' ? 'up' : 'down'}>
                {swap.direction === 'buy' ? 'Buy' : 'Sell'}
              </td>
              <td>
                <a class="link" href={tokenPath(swap.mint)} title={swap.mint}>
                  <bdi>{shownName(names.get(swap.mint) ?? '', swap.mint)}</bdi>
                </a>
              </td>
              <TradeDollars swap={swap} value={swap.volume_usd} form={money} style="" cell="usd" />
              <TradeDollars swap={swap} value={swap.m_cap_usd} form={usd} style="soft" cell="cap" />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
