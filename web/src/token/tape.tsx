import { useComputed, useSignal } from '@preact/signals'
import type { TokenDetail } from '../../../client/src/mintfeed.ts'
import { TradeAge } from '../parts/explorer-link.tsx'
import { useHeldTable } from '../parts/held-table.ts'
import { Note } from '../parts/note.tsx'
import { NumberField } from '../parts/number-field.tsx'
import { RefusedTrades } from '../parts/refused-trades.tsx'
import { TradeDollars } from '../parts/trade-dollars.tsx'
import { WalletLink } from '../parts/wallet-link.tsx'
import { shownName } from '../text/chain-text.ts'
import { compact, exact, money, usd } from '../text/number-form.ts'
import { fits, PLAIN_TAPE, TAPE_CLASSES, type TapeFilter } from './tape-filter.ts'
import type { TapeTrade, TokenFeed } from './token-feed.ts'

/** Trades drawn at most: what is older is scrolled to in the history of the wallet. */
const DRAWN_MAX = 120

const seqOf = ({ seq }: TapeTrade) => String(seq)

/** The trades as they come, newest first. */
export function Tape({ feed }: { readonly feed: TokenFeed }) {
  const filter = useSignal<TapeFilter>(PLAIN_TAPE)
  const creator = useComputed(() => feed.detail.value?.creator ?? '')
  const quote = useComputed(() => quoteName(feed.detail.value))
  const live = useComputed(() =>
    feed.tape.value.filter(({ swap }) => fits(swap, creator.value, filter.value)),
  )
  const held = useHeldTable(live, seqOf, JSON.stringify(filter.value), 'there')
  const trades = held.rows.slice(0, DRAWN_MAX)
  return (
    <section class="panel tape" aria-label="Trades">
      <div class="panel-head">
        <h2>Trades</h2>
        <span class="held">{held.note}</span>
        <span class="spring" />
        <TapeControls filter={filter.value} onFilter={(next) => (filter.value = next)} />
      </div>
      <div class="panel-rows" {...held.box}>
        <RefusedTrades refusal={feed.refusal.value} />
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Age</th>
              <th scope="col">Side</th>
              <th scope="col" class="number">
                USD
              </th>
              <th
                scope="col"
                class="number wide-only"
                title={`Amounts in what the pool is quoted: ${feed.detail.value?.quote_mint ?? ''}`}
              >
                <bdi>{quote}</bdi>
              </th>
              <th scope="col" class="number">
                Market cap
              </th>
              <th scope="col">Wallet</th>
            </tr>
          </thead>
          <tbody>
            {trades.map(({ row }) => (
              <TapeRow key={row.seq} trade={row} creator={creator.value} quote={quote.value} />
            ))}
          </tbody>
        </table>
        {trades.length === 0 && feed.refusal.value === null && (
          <Note title={emptyTitle(feed)}>New trades appear as they come.</Note>
        )}
      </div>
    </section>
  )
}

/** Why no trade is shown. */
function emptyTitle({ tape, detail }: TokenFeed): string {
  const swaps = detail.value?.swaps ?? 0
  const { length } = tape.value
  if (length > 0)
    return length < swaps ? `Nothing fits among the newest ${exact(length)} trades` : 'Nothing fits'
  // Those that there were come after the page itself.
  return swaps > 0 ? 'Loading' : 'No trades yet'
}

/** The unit of the amounts: a symbol, or the mint in short of a coin that nobody has named yet. */
function quoteName(detail: TokenDetail | null): string {
  const mint = detail?.quote_mint ?? ''
  return mint === '' ? 'Quote' : shownName(detail?.quote_symbol ?? '', mint)
}

function TapeRow({
  trade: { swap, seq },
  creator,
  quote,
}: {
  readonly trade: TapeTrade
  readonly creator: string
  readonly quote: string
}) {
  const side = swap.direction === 'buy' ? 'up' : 'down'
  return (
    <tr data-seq={seq}>
      <td class="faint">
        <TradeAge swap={swap} />
      </td>
      <td class={side}>{swap.direction === 'buy' ? 'Buy' : 'Sell'}</td>
      <TradeDollars swap={swap} value={swap.volume_usd} form={money} style={side} cell="usd" />
      <td
        class="number wide-only"
        title={`${exact(swap.quote_mint_amount)} ${quote}`}
        data-cell="quote"
      >
        {compact(swap.quote_mint_amount)}
      </td>
      <TradeDollars swap={swap} value={swap.m_cap_usd} form={usd} style="soft" cell="cap" />
      <td>
        <WalletLink
          wallet={swap.signer}
          label={swap.signer_label}
          flags={{ ...swap, creator_wallet: swap.signer === creator }}
        />
      </td>
    </tr>
  )
}

function TapeControls({
  filter,
  onFilter,
}: {
  readonly filter: TapeFilter
  readonly onFilter: (filter: TapeFilter) => void
}) {
  return (
    <>
      <select
        class="select"
        aria-label="Side"
        value={filter.direction}
        onChange={({ currentTarget: { value } }) =>
          onFilter({ ...filter, direction: value === 'buy' || value === 'sell' ? value : 'all' })
        }
      >
        <option value="all">Buys and sells</option>
        <option value="buy">Buys</option>
        <option value="sell">Sells</option>
      </select>
      <select
        class="select"
        aria-label="Class of the wallet"
        value={filter.wallets}
        onChange={({ currentTarget: { value } }) => {
          const wallets = TAPE_CLASSES.find(({ key }) => key === value)
          onFilter({ ...filter, wallets: wallets?.key ?? 'all' })
        }}
      >
        {TAPE_CLASSES.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
      <NumberField
        label="At least this many dollars"
        placeholder="min $"
        class="field small"
        text={filter.minUsd === 0 ? '' : String(filter.minUsd)}
        onNumber={(value) => {
          onFilter({ ...filter, minUsd: value ?? 0 })
          return null
        }}
      />
    </>
  )
}
