/** What happened to a token in the last 24 hours. */
export const WINDOW = {
  tx_24h: 'number',
  tx_24h_buy: 'number',
  tx_24h_sell: 'number',
  vol_24h: 'number',
  vol_24_buy: 'number',
  vol_24_sell: 'number',
} as const
