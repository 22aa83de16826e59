import { useEffect } from 'preact/hooks'
import { client } from '../feed/connection.ts'
import { rateWindows } from '../feed/rate-windows.ts'
import { nowSeconds } from '../frame/now.ts'
import { Note } from '../parts/note.tsx'
import { exact } from '../text/number-form.ts'

/** What the service's limits leave to this browser, by endpoint, as its answers said. */
export function RateLimits() {
  // One read, so that there is an answer to tell the limit.
  useEffect(() => void client.tables({ type: 'new', limit: 1 }), [])
  const windows = [...rateWindows.value.values()].reverse()
  const nowMs = nowSeconds.value === 0 ? 0 : Date.now()
  return (
    <section class="panel" aria-label="Rate limits">
      <h2>Rate limits of this browser</h2>
      {windows.length === 0 ? (
        <Note title="No limit">The service names none: it is switched off (RATE_LIMIT).</Note>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Endpoint</th>
              <th scope="col" class="number">
                Left
              </th>
              <th scope="col" class="number">
                Full again in
              </th>
            </tr>
          </thead>
          <tbody>
            {windows.map(({ endpoint, limit, remaining, endsAtMs }) => {
              const left = endsAtMs > nowMs ? remaining : limit
              return (
                <tr key={endpoint}>
                  <td>{endpoint}</td>
                  <td class={left === 0 ? 'number down' : 'number'}>
                    <i class="progress" style={{ '--part': String(left / limit) }} /> {exact(left)}{' '}
                    of {exact(limit)}
                  </td>
                  <td class="number faint">
                    {endsAtMs > nowMs ? `${Math.ceil((endsAtMs - nowMs) / 1000)}s` : 'is full'}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
