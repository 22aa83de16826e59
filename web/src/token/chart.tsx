import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Resolution } from '../../../client/src/mintfeed.ts'
import { theme } from '../frame/theme.ts'
import { Note } from '../parts/note.tsx'
import { DIGITS } from '../text/number-form.ts'
import { BarTable } from './bar-table.tsx'
import { CandleFeed } from './candle-feed.ts'
import { CandleLegend } from './candle-legend.tsx'
import { type CandleView, candleOf, WIDTHS, widthFor, widthLabel } from './candle-view.ts'
import type { ChartCanvas } from './chart-canvas.ts'
import { loadChartCanvas } from './chart-loading.ts'
import { chooseContinuous, chosenContinuous, continued, isSparse } from './continuous.ts'
import { barMarks, type Mark } from './marks.ts'

interface ChartProps {
  readonly mint: string
  /** The chart begins with a width that fits the token's age. */
  readonly ageSeconds: number
  /** Whole tokens. */
  readonly supply: ReadonlySignal<number>
  readonly marks: ReadonlySignal<readonly Mark[]>
}

/** The candle chart of a token: all widths, both units, price or market cap, live. */
export function Chart({ mint, ageSeconds, supply, marks }: ChartProps) {
  const width = useSignal<Resolution>(widthFor(ageSeconds))
  const view = useSignal<CandleView>({ unit: 'usd', measure: 'cap' })
  const pointed = useSignal<number | null>(null)
  const digits = useSignal(DIGITS)
  const box = useRef<HTMLDivElement>(null)
  const canvas = useSignal<ChartCanvas | null>(null)
  /** What draws it did not come. */
  const isMissing = useSignal(false)
  const feed = useMemo(() => new CandleFeed(), [])
  /** Judged by the first bars of a width, and kept: a chart that changes its form by itself would be misread. */
  const areSparse = useSignal(false)
  const isContinuous = useComputed(() => chosenContinuous.value ?? areSparse.value)
  const candles = useComputed(() => {
    const own = feed.items.value.map((bar) => candleOf(bar, view.value, supply.value))
    return isContinuous.value ? continued(own) : own
  })
  const shownBars = useRef(0)
  const isJudged = useRef(false)

  useEffect(() => {
    let isWanted = true
    const missed = () => {
      isMissing.value = true
    }
    void loadChartCanvas(() => isWanted, missed).then((Loaded) => {
      if (!isWanted || Loaded === null || box.current === null) return
      isMissing.value = false
      canvas.value = new Loaded(box.current, {
        onPointed: (time) => (pointed.value = time),
        onDigits: (count) => (digits.value = count),
      })
    })
    return () => {
      isWanted = false
      canvas.value?.close()
      canvas.value = null
      feed.close()
    }
  }, [])
  useEffect(() => {
    shownBars.current = 0
    isJudged.current = false
    feed.follow(mint, width.value)
  }, [mint, width.value])
  useSignalEffect(() => {
    const bars = feed.items.value
    if (isJudged.current || bars.length === 0) return
    isJudged.current = true
    areSparse.value = isSparse(bars)
  })
  useSignalEffect(() => {
    const all = candles.value
    canvas.value?.show(all)
    if (shownBars.current === 0 && all.length > 0) canvas.value?.fit(all.length)
    if (canvas.value !== null) shownBars.current = all.length
  })
  useSignalEffect(() => {
    const times = feed.items.value.map(({ time }) => time)
    canvas.value?.mark(barMarks(marks.value, times))
  })
  useSignalEffect(() => {
    theme.value
    canvas.value?.wear()
    canvas.value?.show(candles.peek())
  })

  const { unit, measure } = view.value
  return (
    <section class="chart" aria-label="Chart" data-seq={feed.seq}>
      <div class="chart-bar">
        <div class="widths">
          {WIDTHS.map((each) => (
            <button
              key={each}
              type="button"
              class="button"
              aria-pressed={width.value === each}
              onClick={() => {
                width.value = each
              }}
            >
              {widthLabel(each)}
            </button>
          ))}
        </div>
        <span class="spring" />
        <div class="switches">
          <Choice
            label="Market cap"
            isOn={measure === 'cap'}
            set={() => (view.value = { unit, measure: 'cap' })}
          />
          <Choice
            label="Price"
            isOn={measure === 'price'}
            set={() => (view.value = { unit, measure: 'price' })}
          />
          <span class="split" />
          <Choice
            label="USD"
            isOn={unit === 'usd'}
            set={() => (view.value = { unit: 'usd', measure })}
          />
          <Choice
            label="SOL"
            isOn={unit === 'sol'}
            set={() => (view.value = { unit: 'sol', measure })}
          />
          <span class="split" />
          <Choice
            label="Continuous"
            hint="Candles begin where the ones before them ended; by itself where many bars are of one trade"
            isOn={isContinuous.value}
            set={() => chooseContinuous(!isContinuous.value)}
          />
        </div>
      </div>
      <div class="canvas">
        <CandleLegend
          candles={candles.value}
          time={pointed.value}
          unit={unit}
          digits={digits.value}
        />
        <div ref={box} class="canvas-box" aria-hidden="true" />
        {isMissing.value && <Undrawn />}
        {!isMissing.value && feed.items.value.length === 0 && <Barless feed={feed} />}
      </div>
      <div class="chart-foot">
        <BarTable candles={candles.value} />
        <span class="faint">
          times in UTC · C creator · S snipers · F followed wallet · charts by{' '}
          <a
            class="link"
            href="https://www.tradingview.com/"
            target="_blank"
            rel="noopener noreferrer"
          >
            TradingView
          </a>
        </span>
      </div>
    </section>
  )
}

function Undrawn() {
  return (
    <Note title="The chart cannot be drawn">
      Its program did not come, and is asked for again. Behind an upgrade of the service:{' '}
      <button type="button" class="button edge" onClick={() => location.reload()}>
        Load the page anew
      </button>
    </Note>
  )
}

function Barless({ feed }: { readonly feed: CandleFeed }) {
  const problem = feed.problem.value
  if (problem !== null) return <Note title="The service does not give this chart">{problem}</Note>
  if (feed.isLoading.value) return <Note title="Loading">The bars are on their way.</Note>
  return <Note title="No trades yet">The first trade draws the first bar.</Note>
}

function Choice({
  label,
  hint,
  isOn,
  set,
}: {
  readonly label: string
  readonly hint?: string
  readonly isOn: boolean
  readonly set: () => void
}) {
  return (
    <button type="button" class="button" title={hint} aria-pressed={isOn} onClick={set}>
      {label}
    </button>
  )
}
