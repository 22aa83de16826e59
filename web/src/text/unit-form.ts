import { compact, DIGITS, exact, usd } from './number-form.ts'
import { age, exactTime } from './time-form.ts'

/** Figures of the service in units that a person reads, by what their names end with. */

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const
const SIZE_STEP = 1024
/** Seconds of more than thirty years are a time, not how long something took. */
const TIME_FROM_SECONDS = 1e9

/** `0 B`, `64 KB`, `219 MB`, `1.8 GB`. */
export function sizeText(bytes: number): string {
  if (!Number.isFinite(bytes)) return '–'
  let size = bytes
  let step = 0
  while (Math.abs(size) >= SIZE_STEP - 0.5 && step < SIZES.length - 1) {
    size /= SIZE_STEP
    step += 1
  }
  // From 1,000 on to the next unit the short form would have a letter of its own.
  const isLong = Math.abs(size) >= 999.5
  return `${isLong ? exact(Math.round(size)) : rounded(size)} ${SIZES[step]}`
}

/** `0.3 ms`, `286 ms`, `1.2 s`, `45 s`, `12m`, `3h`. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  if (seconds < 0.9995) return `${rounded(seconds * 1000)} ms`
  return seconds < 60 ? `${rounded(seconds)} s` : age(seconds)
}

/** A figure of `/readyz` by its name there. */
export function figureText(name: string, value: number): string {
  if (name.endsWith('_bytes')) return sizeText(value)
  if (name.endsWith('_ms')) return durationText(value / 1000)
  if (name.endsWith('_usd')) return usd(value)
  if (/_seconds(_total)?$/.test(name)) {
    // So is told what there was none of so far.
    if (value < 0) return 'none yet'
    return value >= TIME_FROM_SECONDS ? exactTime(value) : durationText(value)
  }
  if (/_(failed|running)$/.test(name)) return value === 0 ? 'no' : 'yes'
  return Number.isInteger(value) ? exact(value) : compact(value)
}

/** Its name without the unit, which stands at the number: `journal segment, size`. */
export function figureName(name: string): string {
  return name
    .replace(/_bytes$/, ', size')
    .replace(/_seconds_total$/, ', time')
    .replace(/_(total|ms|seconds|usd)$/, '')
    .replaceAll('_', ' ')
}

/** In as many digits as carry, also below 1. */
function rounded(value: number): string {
  return compact(Number(value.toPrecision(DIGITS)))
}
