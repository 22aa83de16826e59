/** What almost every token of the platform begins with, in whole tokens. */
const USUAL_SUPPLY = 1e9
/** Digits that a quotient of two rounded numbers has for certain: with more the chart would tremble. */
const DIGITS = 12

/** Whole tokens, or parts of one, by which a price becomes a market cap. */
export function supplyOf(marketCap: number, price: number): number {
  return price === 0 ? USUAL_SUPPLY : Number((marketCap / price).toPrecision(DIGITS))
}
