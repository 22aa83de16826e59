import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { ROOT } from '../tidy/source-files.ts'

/** The chart library as a script tag brings it. */
const LIBRARY = join(
  ROOT,
  'node_modules/lightweight-charts/dist/lightweight-charts.standalone.production.js',
)

declare global {
  interface Window {
    /** What the script tag leaves there. */
    LightweightCharts: typeof import('lightweight-charts')
    charted: Charted
  }
}

/** What a page did with the bars of one resolution. */
export interface Charted {
  readonly counts: { updates: number; older: number; inserted: number; gaps: number }
  readonly errors: string[]
  /** `[time, open, high, low, close]` of each bar that the library holds. */
  bars(): readonly (readonly number[])[]
}

export interface ChartedBars {
  readonly url: string
  readonly mint: string
  readonly resolution: string
}

/**
 * A page with one chart of the library alone: its history from `/udf/history`, its live bars from
 * the channel `candles`, both by nothing but what docs/live.md says.
 */
export async function drawChart(page: Page, asked: ChartedBars): Promise<void> {
  await page.setContent('<div id="chart" style="width:900px;height:400px"></div>')
  await page.addScriptTag({ path: LIBRARY })
  await page.evaluate(async ({ url, mint, resolution }) => {
    type Row = readonly [number, number, number, number, number]
    type Series = Readonly<Record<string, readonly number[]>>
    const { createChart, CandlestickSeries } = window.LightweightCharts
    const box = document.getElementById('chart')
    if (box === null) throw new Error('there is no box')
    const series = createChart(box).addSeries(CandlestickSeries)
    type Item = Parameters<typeof series.update>[0]
    const counts = { updates: 0, older: 0, inserted: 0, gaps: 0 }
    const errors: string[] = []
    const shown = new Map<number, Row>()
    const itemOf = ([time, open, high, low, close]: Row): Item => ({
      // The library's brand of unix seconds.
      time: time as Item['time'] & number,
      ...{ open, high, low, close },
    })
    const rowsOf = ({ t, o, h, l, c }: Series): Row[] =>
      t.map((time, i) => [time, o[i], h[i], l[i], c[i]])
    const showAll = () =>
      series.setData([...shown.values()].sort((a, b) => a[0] - b[0]).map(itemOf))
    const put = (row: Row) => {
      const isOlder = [...shown.keys()].some((time) => time > row[0])
      const isThere = shown.has(row[0])
      shown.set(row[0], row)
      counts.updates += 1
      if (isOlder) counts.older += 1
      if (isOlder && !isThere) {
        counts.inserted += 1
        showAll()
      } else series.update(itemOf(row), isOlder)
    }
    window.charted = {
      counts,
      errors,
      bars: () =>
        series
          .data()
          .map((item) =>
            'open' in item
              ? [Number(item.time), item.open, item.high, item.low, item.close]
              : [Number(item.time)],
          ),
    }

    const span = `from=0&to=9999999999&resolution=${resolution}&countback=5000`
    const answer = await fetch(`${url}/udf/history?symbol=${encodeURIComponent(mint)}&${span}`)
    const history: Series & { readonly s: unknown } = await answer.json()
    if (history.s === 'ok') for (const row of rowsOf(history)) shown.set(row[0], row)
    showAll()

    let step: number | null = null
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?id=${resolution}`)
    const data = { action: 'subscribe', id: resolution, mint, resolution, countback: 5000 }
    socket.onopen = () => socket.send(JSON.stringify({ event: 'candles', data }))
    socket.onclose = () => errors.push('the connection was closed')
    await new Promise<void>((resolve) => {
      socket.onmessage = ({ data: text }) => {
        const frame = JSON.parse(String(text))
        if (frame.type === 'ping') socket.send('{"type":"pong"}')
        if (frame.type === 'error') errors.push(frame.message)
        if (frame.channel !== 'candles') return
        if (frame.type === 'delta' && frame.step !== (step ?? 0) + 1) counts.gaps += 1
        step = frame.step
        try {
          for (const row of rowsOf(frame.data)) put(row)
        } catch (thrown) {
          errors.push(String(thrown))
        }
        resolve()
      }
    })
  }, asked)
}
