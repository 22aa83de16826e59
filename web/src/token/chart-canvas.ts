import {
  type AutoscaleInfo,
  CandlestickSeries,
  type CandlestickSeriesPartialOptions,
  ColorType,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { compact, DIGITS } from '../text/number-form.ts'
import { candleChange } from './candle-change.ts'
import type { Candle } from './candle-view.ts'
import type { BarMark } from './marks.ts'
import { priceDigits, priceRoom } from './price-room.ts'

/** Bars in sight at the beginning: at most, and room for at least. */
const BARS_SEEN = 120
const BARS_SEEN_MIN = 40

/** What the chart tells of how it is looked at. */
export interface ChartView {
  /** The bar that is pointed at; null: none is. */
  readonly onPointed: (time: number | null) => void
  /** Digits that tell the prices of the bars in sight apart. */
  readonly onDigits: (digits: number) => void
}

const LETTERS = { creator: 'C', sniper: 'S', followed: 'F' } as const

/** The one place that knows the chart library. */
export class ChartCanvas {
  readonly #chart: IChartApi
  readonly #candles: ISeriesApi<'Candlestick'>
  readonly #volumes: ISeriesApi<'Histogram'>
  readonly #marks: ISeriesMarkersPluginApi<Time>
  #shown: readonly Candle[] = []

  constructor(box: HTMLElement, { onPointed, onDigits }: ChartView) {
    // The required link to TradingView stands below the chart: the logo would bring a style element.
    this.#chart = createChart(box, { autoSize: true, layout: { attributionLogo: false } })
    this.#volumes = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: formatWith(() => DIGITS),
      lastValueVisible: false,
      priceLineVisible: false,
    })
    this.#volumes.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } })
    let digits = DIGITS
    this.#candles = this.#chart.addSeries(CandlestickSeries, {
      priceFormat: formatWith(() => digits),
      borderVisible: false,
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => {
        const info = withRoom(original())
        if (info !== null && info.priceRange !== null) {
          digits = priceDigits(info.priceRange)
          onDigits(digits)
        }
        return info
      },
    })
    this.#marks = createSeriesMarkers(this.#candles, [])
    this.#chart.subscribeCrosshairMove(({ time }) =>
      onPointed(typeof time === 'number' ? time : null),
    )
    this.wear()
  }

  /** Takes the colours of the page's theme. */
  wear(): void {
    const colour = colours()
    this.#chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: colour('--ground') },
        textColor: colour('--soft'),
        fontFamily: getComputedStyle(document.body).fontFamily,
        fontSize: 11,
      },
      grid: { vertLines: { visible: false }, horzLines: { color: colour('--line') } },
      rightPriceScale: { borderColor: colour('--line'), scaleMargins: { top: 0.08, bottom: 0.2 } },
      timeScale: {
        borderColor: colour('--line'),
        timeVisible: true,
        secondsVisible: true,
        rightOffset: 4,
      },
      crosshair: { mode: 0 },
    })
    const worn: CandlestickSeriesPartialOptions = {
      upColor: colour('--up'),
      downColor: colour('--down'),
      wickUpColor: colour('--up'),
      wickDownColor: colour('--down'),
    }
    this.#candles.applyOptions(worn)
    // Volumes have the colours of then in their data.
    this.#shown = []
  }

  /** The bars to show now; where only the newest differs from those before, only it is drawn. */
  show(candles: readonly Candle[]): void {
    const colour = colours()
    const change = candleChange(this.#shown, candles)
    this.#shown = candles
    if (change.kind === 'all') {
      this.#candles.setData(candles.map(candleData))
      this.#volumes.setData(candles.map((candle) => volumeData(candle, colour)))
      return
    }
    for (const candle of change.candles) {
      this.#candles.update(candleData(candle))
      this.#volumes.update(volumeData(candle, colour))
    }
  }

  /** Brings the newest bars into sight, as many as are read well; few of them are not drawn wide. */
  fit(count: number): void {
    const from = count > BARS_SEEN ? count - BARS_SEEN : Math.min(-1, count - BARS_SEEN_MIN)
    this.#chart.timeScale().setVisibleLogicalRange({ from, to: count + 4 })
  }

  mark(marks: readonly BarMark[]): void {
    const colour = colours()
    this.#marks.setMarkers(
      marks.map(({ kind, direction, time, count }) => ({
        time: timeOf(time),
        position: direction === 'buy' ? 'belowBar' : 'aboveBar',
        shape: direction === 'buy' ? 'arrowUp' : 'arrowDown',
        color: colour(kind === 'creator' ? '--warn' : direction === 'buy' ? '--up' : '--down'),
        text: count > 1 ? `${LETTERS[kind]}${count}` : LETTERS[kind],
        size: 0.6,
      })),
    )
  }

  close(): void {
    this.#chart.remove()
  }
}

/** The scale reaches below the lowest bar, but nothing costs less than nothing. */
function formatWith(digits: () => number) {
  const formatter = (value: number) => (value < 0 ? '' : compact(value, digits()))
  return { type: 'custom', formatter, minMove: 1e-12 } as const
}

function withRoom(info: AutoscaleInfo | null): AutoscaleInfo | null {
  if (info === null || info.priceRange === null) return info
  return { ...info, priceRange: priceRoom(info.priceRange) }
}

function candleData({ time, open, high, low, close }: Candle) {
  return { time: timeOf(time), open, high, low, close }
}

function volumeData({ time, open, close, volume }: Candle, colour: (name: string) => string) {
  return {
    time: timeOf(time),
    value: volume,
    color: colour(close >= open ? '--up-flash' : '--down-flash'),
  }
}

/** The library's brand of unix seconds. */
function timeOf(seconds: number): UTCTimestamp {
  return seconds as UTCTimestamp
}

function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement)
  return (name) => style.getPropertyValue(name).trim()
}
