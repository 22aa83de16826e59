/** The paths of the endpoints. */

const encode = encodeURIComponent

export const searchPath = (query: string): string =>
  `/api/v2/search/tokens/detailed?query=${encode(query)}`

export const marketPath = (mint: string, mints?: string): string =>
  `/api/v2/search/tokens/${encode(mint)}/market-data${
    mints === undefined ? '' : `?mints=${encode(mints)}`
  }`

export const swapsPath = (mint: string, query = ''): string =>
  `/api/v2/search/tokens/${encode(mint)}/swaps${query && `?${query}`}`

export const tradersPath = (mint: string, query = ''): string =>
  `/api/v2/search/traders/tokens/${encode(mint)}${query && `?${query}`}`

export const walletPath = (wallet: string, query = ''): string =>
  `/api/v2/search/traders/${encode(wallet)}/tokens${query && `?${query}`}`

export const chartPath = (
  mint: string,
  from: number | string,
  to: number | string,
  resolution: string,
  extra = '',
): string => {
  const range = `from=${from}&to=${to}&resolution=${resolution}`
  return `/api/v2/meme/chart/ohlcv?mint=${encode(mint)}&${range}${extra}`
}

/** A well-formed address nobody has. */
export const strangerMint = 'Stranger1111111111111111111111111111111pump'

/** Well-formed addresses that nobody has; base58 has no 0. */
export const strangerMints = (count: number, name = 'Stranger'): string[] =>
  Array.from({ length: count }, (_, i) =>
    `${name}${String(i).replaceAll('0', 'z')}`.padEnd(44, 'p'),
  )

/** What is no address. */
export const nonsense = ['<mint>', 'notamint', `${strangerMint}${strangerMint}`, '0x00']
