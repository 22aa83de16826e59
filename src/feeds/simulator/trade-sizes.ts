/** Shapes of the heavy-tailed quantities, as tables of quantiles: a draw is one lookup. */

export const QUANTILES = 4096

/** Median trade, lamports. */
const MEDIAN_LAMPORTS = 100_000_000
/** Spread of the log of trade sizes: the mean is about three times the median. */
const SIGMA = 1.5

/** Trade sizes in lamports, log-normal. */
export const SIZE_LAMPORTS = Float64Array.from({ length: QUANTILES }, (_, i) =>
  Math.round(MEDIAN_LAMPORTS * Math.exp(SIGMA * normalQuantile((i + 0.5) / QUANTILES))),
)

/** Popularity is Zipf's law with this exponent over tokens, cut at `MAX_TICKETS`. */
const POPULARITY_EXPONENT = 1.05
const MAX_TICKETS = 1024

/** Tickets of a new token in the draw for trades. */
export const TICKETS = Int32Array.from({ length: QUANTILES }, (_, i) =>
  Math.min(MAX_TICKETS, Math.floor((1 - (i + 0.5) / QUANTILES) ** (-1 / POPULARITY_EXPONENT))),
)

/** Inverse of the normal distribution by bisection; built once, so plain is fast enough. */
function normalQuantile(probability: number): number {
  let low = -6
  let high = 6
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (normalCdf(middle) < probability) low = middle
    else high = middle
  }
  return low
}

/** Zelen and Severo's approximation, Abramowitz and Stegun 26.2.17; error below 1e-7. */
function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series
  return x > 0 ? 1 - tail : tail
}
