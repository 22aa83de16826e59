/** Text from outside, made safe to store, show and send; names in snake_case. */

import { basename, isAbsolute, join, resolve, sep } from 'node:path'

/**
 * Characters that control a terminal, end a line, or reverse the reading order of the text behind them.
 * Lone surrogates count too: no UTF-8 can write them.
 */
const CONTROL_CHARS = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** A text for one line of a log or of a terminal, with `instead` for each control character. */
export function stripControlChars(text: string, instead: string): string {
  return text.replace(CONTROL_CHARS, instead)
}

/**
 * A copy of a well-formed text that shares no memory. V8's slice points into the whole text: an id of thirteen
 * characters would hold the 16 KB that it was cut out of.
 */
export function flatCopy(text: string): string {
  return Buffer.from(text).toString()
}

/** A part of an address with its percent escapes decoded, or as it is where they are not valid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * A sentence without the paths of this machine, which only its operator may read. Paths in the data folder
 * begin with DATA_DIR; other files keep their names only.
 */
export function redactPaths(
  sentence: string,
  dataDir: string | null,
  files: readonly string[],
): string {
  const named = files.reduce((shown, file) => shown.replaceAll(file, basename(file)), sentence)
  if (dataDir === null) return named
  // A relative folder may be a plain word: it means the folder only in front of a path separator.
  if (!isAbsolute(dataDir)) return named.replaceAll(join(dataDir, sep), `DATA_DIR${sep}`)
  return named.replaceAll(resolve(dataDir), 'DATA_DIR').replaceAll(dataDir, 'DATA_DIR')
}

/** `lateEvents` as `late_events`: names of counters as metrics and event lines have them. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Counters as figures: `hugeFrames` is `huge_frames_total` behind the prefix. */
export function totals(counters: object, prefix = ''): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counters).map(([name, n]) => [`${prefix}${snakeCase(name)}_total`, Number(n)]),
  )
}
