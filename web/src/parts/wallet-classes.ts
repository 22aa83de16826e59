/** Classes of wallets: their marks in tables, what they are called, and what makes a wallet one. */
export const WALLET_CLASSES = {
  creator: {
    mark: 'DEV',
    what: 'creator of the token',
    why: 'the wallet that created the token',
  },
  sniper: {
    mark: 'SNP',
    what: 'sniper',
    why: 'bought first within 3 slots of the creation by default, about a second',
  },
  insider: {
    mark: 'INS',
    what: 'insider',
    why: 'held the token before its first trade of it, or was handed it',
  },
  bundler: {
    mark: 'BND',
    what: 'bundler',
    why: 'bought together with others, at the launch or in one transaction',
  },
  fresh: {
    mark: 'FRS',
    what: 'fresh wallet',
    why: 'traded with less than a day and ten trades behind it by default',
  },
  pro: {
    mark: 'PRO',
    what: 'pro trader',
    why: 'by default 100 trades or more of 20 tokens or more, and a profit',
  },
} as const
