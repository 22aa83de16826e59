/** Writing JSON text by hand: the same characters as JSON.stringify, without building objects. */

/** Characters that need an escape, or a look at surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/

export function jsonString(text: string): string {
  return NEEDS_CARE.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** A finite number; what is not finite is unknown, and unknown is 0 (contract section 1). */
export function jsonNumber(value: number): string {
  return String(finiteNumber(value))
}

/** `value` as the wire has it: 0 where it is not finite. */
export function finiteNumber(value: number): number {
  return value - value === 0 ? value : 0
}

const SECONDS_CACHED = 4_096
const texts: string[] = new Array(SECONDS_CACHED).fill('')
const seconds = new Float64Array(SECONDS_CACHED).fill(-1)

/** Unix seconds as "YYYY-MM-DD HH:MM:SS" in UTC. */
export function timeText(unixSeconds: number): string {
  const at = unixSeconds % SECONDS_CACHED
  if (seconds[at] === unixSeconds) return texts[at]
  const iso = new Date(unixSeconds * 1000).toISOString()
  const text = `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
  seconds[at] = unixSeconds
  texts[at] = text
  return text
}
