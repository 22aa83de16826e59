import type { WalletResult, WalletSummary } from '../../../client/src/mintfeed.ts'
import { tokenPath } from '../frame/route.ts'
import { shownName } from '../text/chain-text.ts'
import { compact, exact, exactUsd, money, percent, signedMoney } from '../text/number-form.ts'
import { signClass } from '../text/sign-class.ts'
import { age } from '../text/time-form.ts'
import { DayBars } from './day-bars.tsx'

const WINDOWS = ['1d', '7d', '30d', 'all'] as const
const HEADS = ['Realised', 'Volume', 'Trades', 'Tokens', 'Won', 'Median hold'] as const

/** What a wallet did by days and windows. Its room is there before its figures are. */
export function Summary({ summary }: { readonly summary: WalletSummary | null }) {
  return (
    <div class="two summary">
      <section class="panel" aria-label="PnL by day">
        <div class="panel-head">
          <h2>PnL by day</h2>
          <span class="faint">realised, 30 days in UTC</span>
          <span class="spring" />
          <Result name="Best" result={summary?.best ?? null} />
          <Result name="Worst" result={summary?.worst ?? null} />
        </div>
        {summary !== null && <DayBars days={summary.days} />}
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen the keyboard could else not scroll it. */}
      <section class="panel" aria-label="Windows" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Days in UTC</th>
              {HEADS.map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {WINDOWS.map((window) => (
              <Window key={window} window={window} summary={summary} />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function Window({
  window,
  summary,
}: {
  readonly window: (typeof WINDOWS)[number]
  readonly summary: WalletSummary | null
}) {
  const figures = summary?.windows[window]
  if (figures === undefined)
    return (
      <tr>
        <th scope="row">{window}</th>
        {HEADS.map((head) => (
          <td key={head} class="number">
            –
          </td>
        ))}
      </tr>
    )
  const { realized_pnl_usd, volume_usd, trades, tokens, wins, losses, win_rate_pct } = figures
  return (
    <tr data-window={window}>
      <th scope="row">{window}</th>
      <td class={`number ${signClass(realized_pnl_usd)}`} title={exactUsd(realized_pnl_usd)}>
        {signedMoney(realized_pnl_usd)}
      </td>
      <td class="number" title={exactUsd(volume_usd)}>
        {money(volume_usd)}
      </td>
      <td class="number" title={exact(trades)}>
        {compact(trades)}
      </td>
      <td class="number" title={exact(tokens)}>
        {compact(tokens)}
      </td>
      <td
        class="number"
        title={`${exact(wins)} tokens sold off with a gain, ${exact(losses)} with a loss`}
      >
        {wins + losses === 0 ? '–' : percent(win_rate_pct)}
      </td>
      <td class="number" title={`${exact(figures.median_hold_seconds)} seconds`}>
        {wins + losses === 0 ? '–' : age(figures.median_hold_seconds)}
      </td>
    </tr>
  )
}

/** The token that it won or lost most with. */
function Result({ name, result }: { readonly name: string; readonly result: WalletResult | null }) {
  if (result === null) return null
  return (
    <a
      class="link soft result"
      href={tokenPath(result.mint)}
      title={`${name}: ${exactUsd(result.pnl_usd)}, ${exactUsd(result.unrealized_pnl_usd)} of it not realised`}
    >
      <span class="label">{name}</span> <bdi>{shownName(result.symbol, result.mint)}</bdi>{' '}
      <span class={signClass(result.pnl_usd)}>{signedMoney(result.pnl_usd)}</span>
    </a>
  )
}
