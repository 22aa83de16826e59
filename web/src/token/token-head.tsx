import type { TokenDetail } from '../../../client/src/mintfeed.ts'
import { walletPath } from '../frame/route.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { ExplorerButton } from '../parts/explorer-link.tsx'
import { SocialLinks } from '../parts/social-marks.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { short, shown, shownName } from '../text/chain-text.ts'
import { compact, completion, exact, usd } from '../text/number-form.ts'
import { parseTime } from '../text/time-form.ts'

/** What a token is and how it stands. */
export function TokenHead({ detail }: { readonly detail: TokenDetail }) {
  // One that is first heard of in its pool has no migration that was told.
  const isGraduated = detail.migration_timestamp !== null || detail.pool_amm !== ''
  const stage = isGraduated ? 'Graduated' : detail.complete ? 'Complete' : null
  return (
    <header class="token-head">
      <Avatar mint={detail.mint} symbol={detail.symbol} image={detail.image} />
      <div class="token-name">
        <h1>
          <bdi class="symbol">{shownName(detail.symbol, detail.mint)}</bdi>{' '}
          <bdi class="faint">{shown(detail.name)}</bdi>
        </h1>
        <p class="token-line">
          <TimeAgo class="age" seconds={parseTime(detail.timestamp) ?? 0} />
          <Copyable text={detail.mint} what="mint" />
          {detail.creator !== '' && (
            <a class="link soft" href={walletPath(detail.creator)} title={detail.creator}>
              by {short(detail.creator)}
            </a>
          )}
          {!detail.history_complete && (
            <span class="faint" data-cell="history" title={unseen(detail.history_from)}>
              partial history
            </span>
          )}
          <SocialLinks links={detail} />
          <ExplorerButton kind="token" name={detail.mint} />
        </p>
      </div>
      <dl class="facts-row">
        <Fact name="Market cap" cell="market_cap" value={detail.market_cap} form={usd} />
        <Fact
          name="Price"
          cell="price"
          value={detail.token_price_usd}
          form={detail.priced ? usd : () => 'no price known'}
        />
        <Fact name="Liquidity" cell="liquidity" value={detail.liquidity} form={usd} />
        <Fact name="Volume 24 h" cell="vol_24h" value={detail.vol_24h} form={usd} />
        <Fact name="Trades 24 h" cell="tx_24h" value={detail.tx_24h} form={compact} />
        <Fact name="Holders" cell="holders" value={detail.holders} form={compact} />
        <Fact name="Highest" cell="ath" value={detail.ath_market_cap} form={usd} />
        <div>
          <dt>Curve</dt>
          <dd data-cell="progress" title={`${exact(detail.pct_completion)}%`}>
            {stage ?? completion(detail.pct_completion)}
          </dd>
        </div>
      </dl>
    </header>
  )
}

/** Why the figures of a token are not of all that happened. */
function unseen(from: string | null): string {
  const since = from === null ? 'since it was first seen' : `since ${from} UTC`
  return `Not every event of this token was seen: figures are of what happened ${since}, and of what was seen before.`
}

interface FactProps {
  readonly name: string
  readonly cell: string
  readonly value: number
  readonly form: (value: number) => string
}

function Fact({ name, cell, value, form }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-cell={cell} title={exact(value)}>
        {form(value)}
      </dd>
    </div>
  )
}
