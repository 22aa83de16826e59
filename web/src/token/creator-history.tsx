import type { TokenDetail } from '../../../client/src/mintfeed.ts'
import { tokenPath } from '../frame/route.ts'
import { TimeAgo } from '../parts/time-ago.tsx'
import { shownName } from '../text/chain-text.ts'
import { exact, exactUsd, usd } from '../text/number-form.ts'
import { parseTime } from '../text/time-form.ts'

/** What else the creator made, and what became of it. */
export function CreatorHistory({ detail }: { readonly detail: TokenDetail }) {
  const { created, migrated, tokens } = detail.creator_history
  return (
    <section class="panel creator" aria-label="Creator">
      <div class="panel-head">
        <h2>Creator</h2>
        <span class="faint">
          {exact(created)} created · {exact(migrated)} graduated
          {tokens.length < created && ` · ${exact(tokens.length)} shown`}
        </span>
      </div>
      <div class="panel-rows">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Market cap
              </th>
              <th scope="col" class="number">
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.mint} aria-current={token.mint === detail.mint ? 'true' : undefined}>
                <td>
                  <a class="link" href={tokenPath(token.mint)}>
                    <bdi>{shownName(token.symbol, token.mint)}</bdi>
                  </a>
                </td>
                <td class={token.migrated ? 'up' : 'faint'}>
                  {token.migrated ? 'Graduated' : token.complete ? 'Complete' : 'On the curve'}
                </td>
                <td class="number" title={exactUsd(token.market_cap)}>
                  {usd(token.market_cap)}
                </td>
                <td class="number faint">
                  <TimeAgo seconds={parseTime(token.timestamp) ?? 0} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
