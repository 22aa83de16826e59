/** Numbers as traders write them: few digits that carry, the same width for the same size. */

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'
const STEPS: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
]

/** Significant digits. */
export const DIGITS = 3
/** Those of a small price, at least. */
const SMALL_DIGITS = 4
/** From this many zeros behind the point on they are counted instead of written. */
const COUNTED_ZEROS = 3

/** Made once: a new one for each number costs thirty times as much as its text. */
const ALL_DIGITS = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 17 })

/** From here on a letter would stand behind more digits than there is room for. */
const POWERS_FROM = 999.5e12

/**
 * `1.23M`, `59.9K`, `812`, `4.5`, `0.032`, `0.0₅42`, `2.7e27`; with five of them `8.0667K`. Not finite: `–`.
 *
 * @param digits that carry: three, or more where values that are close to each other stand side by side
 */
export function compact(value: number, digits: number = DIGITS): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  const sign = value < 0 ? '-' : ''
  if (size >= POWERS_FROM) return `${sign}${power(size, digits)}`
  for (const [step, letter] of STEPS) {
    // What would round up to 1000K is 1M.
    if (size >= step * (1 - 0.5 * 10 ** -digits))
      return `${sign}${trimmed((size / step).toPrecision(digits))}${letter}`
  }
  if (size === 0) return '0'
  if (size >= 1) return `${sign}${trimmed(size.toPrecision(digits))}`
  return `${sign}${small(size, Math.max(digits, SMALL_DIGITS))}`
}

/** `$1.23M`, `-$4.5`. */
export function usd(value: number): string {
  return value < 0 ? `-$${compact(-value)}` : `$${compact(value)}`
}

/** `12.3%`, `0.4%`, `<0.1%`, `-<0.1%`, `100%`. */
export function percent(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size !== 0 && size < 0.05) return value < 0 ? '-<0.1%' : '<0.1%'
  if (size >= 1e4) return `${compact(value)}%`
  return `${trimmed(value.toFixed(size >= 99.95 ? 0 : 1))}%`
}

/** `+12.3%`, `-4%`, `<0.1%`, `0%`: what was won or lost. */
export function signedPercent(value: number): string {
  return value >= 0.05 ? `+${percent(value)}` : percent(value)
}

/** How far something is complete, `99.9%` at most until it is. */
export function completion(value: number): string {
  return percent(value < 100 ? Math.min(value, 99.9) : value)
}

/** A percent where the place is small: `56`, `2.5`, `0`. */
export function share(value: number): string {
  return value >= 9.95 ? value.toFixed(0) : trimmed(value.toFixed(1))
}

/** An amount of dollars, cents at the smallest: `$1.23M`, `$0.42`, `<$0.01`. */
export function money(value: number): string {
  const size = Math.abs(value)
  const sign = value < 0 ? '-' : ''
  if (size >= 1 || size === 0 || Number.isNaN(size)) return usd(value)
  if (size >= 0.995) return `${sign}$1`
  return size < 0.005 ? `${sign}<$0.01` : `${sign}$${size.toFixed(2)}`
}

/** `+$1.2K`, `-$30`, `+$0.42`, `<$0.01`, `$0`: what was won or lost. */
export function signedMoney(value: number): string {
  return value >= 0.005 ? `+${money(value)}` : money(value)
}

/** `103`, and `100 of 103` where rows are left out. */
export function countOf(shown: number, total: number): string {
  return shown < total ? `${exact(shown)} of ${exact(total)}` : exact(total)
}

/** `12,345`, `0.0000000000123`: all digits, for hovering. Not finite: `–`. */
export function exact(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return ALL_DIGITS.format(value)
}

/** `$12,345`: the same of dollars. */
export function exactUsd(value: number): string {
  return `$${exact(value)}`
}

function power(size: number, digits: number): string {
  const [factor, exponent] = size.toExponential(digits - 1).split('e+')
  return `${trimmed(factor)}e${exponent}`
}

/** Below 1: zeros behind the point are counted in a small figure when there are many. */
function small(size: number, digits: number): string {
  const [factor, exponent] = size.toExponential(digits - 1).split('e')
  const zeros = -Number(exponent) - 1
  // Rounded up to a whole one.
  if (zeros < 0) return trimmed(Number(`${factor}e${exponent}`).toFixed(digits - 1))
  const carried = factor.replace('.', '').replace(/0+$/, '')
  if (zeros < COUNTED_ZEROS) return `0.${'0'.repeat(zeros)}${carried}`
  return `0.0${subscript(zeros)}${carried}`
}

function subscript(count: number): string {
  return [...String(count)].map((digit) => SUBSCRIPTS[Number(digit)]).join('')
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
