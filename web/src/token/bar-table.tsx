import { useSignal } from '@preact/signals'
import { exactTime } from '../text/time-form.ts'
import type { Candle } from './candle-view.ts'

/** Bars of the table. */
const BARS = 40

/** The newest bars as exact numbers: for who cannot see the chart, or wants to copy them. */
export function BarTable({ candles }: { readonly candles: readonly Candle[] }) {
  const isOpen = useSignal(false)
  return (
    <details
      class="bar-table"
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>Bars as a table</summary>
      {isOpen.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without a link in it the keyboard could not scroll it.
        <section class="bar-scroll" aria-label="Newest bars" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                {['Opened', 'Open', 'High', 'Low', 'Close', 'Volume'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {candles.slice(-BARS).map(({ time, open, high, low, close, volume }) => (
                <tr key={time} data-time={time}>
                  <td>{exactTime(time)}</td>
                  {[open, high, low, close, volume].map((value, index) => (
                    <td key={index} class="number">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}
