import { expect, test } from 'vitest'
import { durationText, figureName, figureText, sizeText } from '../../web/src/text/unit-form.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1,000 B'],
  [65_536, '64 KB'],
  [999 * 2 ** 10, '999 KB'],
  [2 ** 20, '1 MB'],
  [229_900_000, '219 MB'],
  [1.8 * 2 ** 30, '1.8 GB'],
  [1_023.6 * 2 ** 20, '1 GB'],
  [5 * 2 ** 50, '5,120 TB'],
  [Number.NaN, '–'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test.each([
  [0, '0 ms'],
  [0.000_31, '0.31 ms'],
  [0.2864, '286 ms'],
  [0.9996, '1 s'],
  [1.2, '1.2 s'],
  [59.9, '59.9 s'],
  [160, '2m'],
  [7_300, '2h'],
  [Number.NaN, '–'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

test.each([
  ['rss_bytes', 2 ** 20, 'rss, size', '1 MB'],
  ['loop_delay_max_ms', 300.378495, 'loop delay max', '300 ms'],
  ['journal_sync_longest_ms', 1_611.4, 'journal sync longest', '1.61 s'],
  ['gc_seconds_total', 1.0796587950047105, 'gc, time', '1.08 s'],
  ['gc_total', 45, 'gc', '45'],
  ['snapshot_age_seconds', -1, 'snapshot age', 'none yet'],
  ['snapshot_age_seconds', 75, 'snapshot age', '1m'],
  ['now_seconds', 1_795_853_594, 'now', '2026-11-28 08:13:14 UTC'],
  ['sol_price_usd', 144.77, 'sol price', '$145'],
  ['journal_failed', 0, 'journal failed', 'no'],
  ['snapshot_running', 1, 'snapshot running', 'yes'],
  ['newest_slot', 473_334_306, 'newest slot', '473,334,306'],
  ['swaps_folded_total', 35_944, 'swaps folded', '35,944'],
])('the figure %s of %d is called "%s" and reads %s', (name, value, shownName, text) => {
  expect(figureName(name)).toBe(shownName)
  expect(figureText(name, value)).toBe(text)
})
