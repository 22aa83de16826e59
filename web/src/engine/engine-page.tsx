import { useEffect } from 'preact/hooks'
import { useTitle } from '../frame/title.ts'
import { Note } from '../parts/note.tsx'
import { linePath } from '../parts/spark.tsx'
import { compact, exact } from '../text/number-form.ts'
import { durationText, figureName, figureText, sizeText } from '../text/unit-form.ts'
import {
  followFigures,
  RATE_LIMITED,
  rates,
  readings,
  readProblem,
  requests,
  series,
} from './figures.ts'
import { followLag, lagsMs } from './launch-lag.ts'
import { RateLimits } from './rate-limits.tsx'

const NO_JOURNAL = 'no journal'

/** How the service itself is: figures of `/readyz` and `/metrics`, with plots of five minutes. */
export function EnginePage() {
  useTitle('Engine')
  useEffect(followFigures, [])
  useEffect(followLag, [])
  const latest = readings.value.at(-1)
  if (latest === undefined)
    return (
      <main class="scroll" id="main" tabIndex={-1}>
        <h1 class="unseen">Engine</h1>
        <Note title={readProblem.value === null ? 'Loading' : 'Out of reach'}>{readProblem}</Note>
      </main>
    )
  const { figures } = latest
  // What was read last says nothing of a service that does not answer any more.
  const isReady = latest.isReady && readProblem.value === null
  const reason = readProblem.value === null ? (latest.reason ?? 'Not ready') : 'Out of reach'
  const lags = lagsMs.value.map((ms) => Math.max(0, ms) / 1000)
  const hasJournal = figures.journal_seq !== undefined
  return (
    <main class="scroll" id="main" tabIndex={-1}>
      <div class="page-head">
        <h1>Engine</h1>
        <span class="status" data-state={isReady ? 'live' : 'stale'} role="status">
          {isReady ? 'Ready' : reason}
        </span>
        <a class="link faint" href="/readyz">
          /readyz
        </a>
        <a class="link faint" href="/metrics">
          /metrics
        </a>
      </div>
      <div class="plots">
        <Plot name="Swaps a second" values={rates('swaps_folded_total')} />
        <Plot name="Newest launch to page" values={lags} form={durationText} />
        <Plot name="Live sockets" values={series('live_connections')} />
        <Plot name="Messages published a second" values={rates('live_published_total')} />
        <Plot name="Memory of the process" values={series('rss_bytes')} form={sizeText} />
        <Plot name="Heap" values={series('heap_used_bytes')} form={sizeText} />
        <Plot name="Loop held longest" values={seconds('loop_delay_max_ms')} form={durationText} />
        <Plot
          name="Journal position"
          values={series('journal_seq')}
          text={hasJournal ? undefined : NO_JOURNAL}
        />
        <Plot
          name="Journal not yet synced"
          values={[]}
          text={hasJournal ? events(figures.journal_seq - figures.journal_synced_seq) : NO_JOURNAL}
        />
        <Plot
          name="Age of the snapshot"
          values={[]}
          text={figureText('snapshot_age_seconds', figures.snapshot_age_seconds ?? -1)}
        />
        <Plot name="Refused for their rate, a second" values={rates(RATE_LIMITED)} />
        <Plot name="Late swaps folded" values={series('late_folded_total')} />
      </div>
      <div class="two">
        <Figures figures={figures} />
        <div class="stack">
          <RateLimits />
          <Requests />
        </div>
      </div>
    </main>
  )
}

function seconds(name: string): readonly number[] {
  return series(name).map((ms) => ms / 1000)
}

function events(count: number): string {
  return `${compact(count)} ${count === 1 ? 'event' : 'events'}`
}

interface PlotProps {
  readonly name: string
  readonly values: readonly number[]
  /** How a value is written, with its unit. */
  readonly form?: (value: number) => string
  /** In place of the last value. */
  readonly text?: string | undefined
}

function Plot({ name, values, form = compact, text }: PlotProps) {
  const last = values.at(-1)
  return (
    <section class="plot" aria-label={name}>
      <h2>{name}</h2>
      <b>{text ?? (last === undefined ? '–' : form(last))}</b>
      {values.length > 1 && (
        <svg viewBox="0 0 240 40" preserveAspectRatio="none" aria-hidden="true">
          <path d={linePath(values, 240, 40, 2)} />
        </svg>
      )}
    </section>
  )
}

function Figures({ figures }: { readonly figures: Readonly<Record<string, number>> }) {
  const names = Object.keys(figures).sort()
  return (
    <section class="panel" aria-label="All figures">
      <h2>All figures</h2>
      <table class="table">
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row" title={name}>
                {figureName(name)}
              </th>
              <td class="number" title={exact(figures[name])}>
                {figureText(name, figures[name])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Requests() {
  return (
    <section class="panel" aria-label="Requests">
      <h2>Requests answered</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Count
            </th>
          </tr>
        </thead>
        <tbody>
          {requests.value.map(({ route, status, count }) => (
            <tr key={`${route} ${status}`}>
              <td>{route.replaceAll('_', ' ')}</td>
              <td class={status >= '400' ? 'down' : undefined}>{status}</td>
              <td class="number">{exact(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
