/**
 * Lanes of the engine's rows. A token has three rows, by how often they change: `TokenLane`, `LifecycleLane`, `MetadataLane`;
 * some have others (`CrowdLane`, `BarHeadLane`, `SeldomLane`, `WindowLane`), and many share one (`ProfileLane`).
 * `PositionRowLane`, `SalesLane`, `WideLane`, `LinkLane`: positions, which are read as `PositionLane`; `WalletLane`: wallets; `Bar`,
 * `WideBar`: stored candles; `ColdRunLane`, `ColdPositionLane`, `ColdWalletLane`: dormant tokens. Numbers are u32 lanes; names ending in `F` are f64
 * lanes of the same row; names ending in `Lo` are u64 (low lane, then high); references ending in `Plus1` are 0 for none.
 * `lanes` is the number of u32 lanes of the row.
 */

/** A token with more traders stays in memory: reading that many back would block the event loop. */
export const DORMANT_TRADERS_MAX = 8_192

/** First version of snapshots in which rows of tokens and positions say no more than they must, and texts are in codes. */
export const NARROW_ROWS = 14

/** What every swap of a token may change. */
export const TokenLane = {
  /** Standing virtual reserves: the price is quote / base. */
  virtualBaseLo: 0,
  virtualQuoteLo: 2,
  realBaseLo: 4,
  supplyLo: 6,
  /** Micro-USD since creation. */
  volumeMicroUsdF: 4,
  /** Sum of all balances, without its third lane (token-rows.ts), and the wallets that have one. */
  holdersSumLo: 10,
  holders: 12,
  swaps: 13,
  lastSwapPlus1: 14,
  positionsPlus1: 15,
  /** Wallets that traded it. */
  traders: 16,
  creatorPositionPlus1: 17,
  flags: 18,
  poolAmmPlus1: 19,
  /** A word of the newest swap's signature hash; 0 when it has none (EventPosition). */
  lastSignature: 20,
  /** Its run on the dormant tape (`ColdRunLane`); 0 while its positions are rows. */
  dormantPlus1: 21,
  /** Its rows of `CrowdLane` and `BarHeadLane`; 0 for none. */
  crowd: 22,
  barHeads: 23,
  lanes: 24,
} as const

/** Classes of holders; `any` are all of them. */
export const HolderClass = { sniper: 0, bundle: 1, insider: 2, fresh: 3, pro: 4, any: 5 } as const

/** By class: sum of balances (two lanes), and the wallets with one, `apart` lanes behind those of the class before. */
export const CrowdLane = { apart: 3, tops: 15, lanes: 16 } as const

/** By class, `any` too: the third lane of its sum. */
export const TopsLane = { lanes: 6 } as const

/** Newest stored bar of each base width + 1 (candles.ts), which may be gone. */
export const BarHeadLane = { lanes: 4 } as const

export const TokenFlag = {
  exists: 1 << 0,
  complete: 1 << 1,
  graduated: 1 << 2,
  /** A `token_created` was folded; else what is known came from swaps. */
  creationKnown: 1 << 3,
  /** A `migrated` was folded. */
  migrationKnown: 1 << 4,
  mayhem: 1 << 5,
  /** The creation had a slot. */
  slotKnown: 1 << 6,
  /** Bars are stored (candles.ts). */
  barsStored: 1 << 7,
  /** A supply was given by the creation or by a swap. */
  supplySeen: 1 << 8,
  /** A swap gave the quote while no creation was known. */
  quoteGiven: 1 << 9,
  /** An event that is no trade gave the reserves: a later event of the creation does not know them better. */
  reservesGiven: 1 << 10,
  /** The chain was asked for its largest holders. */
  holdersTold: 1 << 11,
} as const

/** Birth: changes a few times in a token's life. */
export const LifecycleLane = {
  createdSlotF: 0,
  createdTxIndex: 2,
  createdOrdinal: 3,
  /** Unix seconds. */
  createdAt: 4,
  creatorPlus1: 5,
  bondingCurvePlus1: 6,
  name: 7,
  symbol: 8,
  uri: 9,
  /** Its row of `ProfileLane`. */
  profile: 10,
  /** Its row of `SeldomLane`; 0 for none. */
  seldom: 11,
  lanes: 12,
} as const

/** What nearly all tokens share with others (token-rows.ts). */
export const ProfileLane = {
  tokenProgramPlus1: 0,
  decimals: 1,
  /** One of `Quote`, or a coin's number (`Quotes`). */
  quote: 2,
  initialRealBaseLo: 3,
  /** Supply of the swaps that came before any was known (`Flag.supplyUnseen`), by what became known later; else 0. */
  passedSupplyLo: 5,
  lanes: 8,
} as const

/** What a token has once it graduated, came without a slot, or was given a quote coin by a swap. */
export const SeldomLane = {
  graduatedSlotF: 0,
  graduatedTxIndex: 2,
  graduatedOrdinal: 3,
  migratedAt: 4,
  /** Number of the coin that a swap gave first as its quote (`Quotes`); 0 for none. */
  givenCoin: 5,
  /**
   * Number of the arrival of the event that the place of the creation, or of the graduation, was taken
   * from, where it had no slot of its own: it stands behind the event that was newest then. Else 0.
   */
  createdArrivalF: 3,
  graduatedArrivalF: 4,
  migrationSignature: 10,
  lanes: 12,
} as const

/** The rolling window, of tokens with a swap in it (token-rows.ts): undone by inverse, never by image. */
export const WindowLane = {
  buys: 0,
  sells: 1,
  buyMicroUsdF: 1,
  sellMicroUsdF: 2,
  lanes: 6,
} as const

/**
 * What a token has in the windows. Trades are counted by age, in the narrowest window that they are in: a window is the
 * sum of its ages, so a wide one is the narrow one and more by construction. Each name is the first of five lanes.
 */
export const TradeWindowLane = {
  buyMicroUsdF: 0,
  sellMicroUsdF: 5,
  /** By window: highest and lowest price in USD of its trades; 0: none has a price. */
  highUsdF: 10,
  lowUsdF: 15,
  buys: 40,
  sells: 45,
  /** Traders by the age of their latest trade. */
  traders: 50,
  /** Buys that were the first trade of their wallet in the mint. */
  firstBuys: 55,
  /** By window: tape index + 1; no swap of before the window has a greater one. */
  before: 60,
  /** The first swap of its mint + 1, where that counts. */
  firstOfMint: 65,
  /** What prices were made with (`pricingOf`). */
  pricing: 66,
  /** Bits by window: its high, or its low (eight bits above), may have left. */
  stale: 67,
  lanes: 68,
} as const
/** Metadata: text references in the order of METADATA_KEYS, then what is derived from them. Never taken back. */
export const MetadataLane = {
  firstText: 0,
  dexPaid: 7,
  linkPlus1: 8,
  /** Positions of the token, as rows or on the dormant tape: of each wallet that traded, held or passed it on. */
  positions: 9,
  lanes: 10,
} as const

/** A position, what one wallet did in one mint: as a record of the dormant tape, and as its rows are read (position-rows.ts). */
export const PositionLane = {
  balanceLo: 0,
  boughtLo: 2,
  soldLo: 4,
  untrackedLo: 6,
  inventoryLo: 8,
  /** Micro-USD and lamports, integers. */
  costUsdF: 5,
  costSolF: 6,
  realizedUsdF: 7,
  realizedSolF: 8,
  boughtUsdF: 9,
  soldUsdF: 10,
  boughtSolF: 11,
  soldSolF: 12,
  feesF: 13,
  token: 28,
  wallet: 29,
  nextInMintPlus1: 30,
  buys: 32,
  sells: 33,
  firstBuyAt: 34,
  /** While there is no trade: time of the last `balance` event. */
  lastBuyAt: 35,
  firstSellAt: 36,
  lastSellAt: 37,
  lastSwapPlus1: 38,
  flags: 39,
  lanes: 40,
} as const

/**
 * The row of a position: one line of the cache. What its other lanes would say follows from these, or stands in its
 * row of sales (`PositionFlag.hasSales`).
 */
export const PositionRowLane = {
  /** Of a row given back: the one given back before it. */
  balanceLo: 0,
  boughtLo: 2,
  token: 4,
  wallet: 5,
  nextInMintPlus1: 6,
  flags: 7,
  buys: 8,
  firstBuyAt: 9,
  lastBuyAt: 10,
  lastSwapPlus1: 11,
  /** Micro-USD and lamports as whole numbers below 2^32; 0 where its wide row has them. */
  boughtUsd: 12,
  boughtSol: 13,
  fees: 14,
  /** Once it has one, it stays its own, though rolling back may leave it without use. */
  salesPlus1: 15,
  lanes: 16,
} as const

/** A position with a sale, and one whose amounts do not fit its row. */
export const SalesLane = {
  soldLo: 0,
  /** As `PositionRowLane.boughtUsd`. */
  soldUsd: 2,
  soldSol: 3,
  costUsd: 4,
  costSol: 5,
  /** 0: the wide row says what the others do not, with the number of sales. */
  sells: 6,
  firstSellAt: 7,
  lastSellAt: 8,
  /** As `PositionRowLane.salesPlus1`. */
  widePlus1: 9,
  lanes: 10,
} as const

/** Of few positions: lanes of `PositionLane` from `untrackedLo` to `feesF` as they are, then the sales. */
export const WideLane = { sells: 22, lanes: 24 } as const

/** Beside a position, and never taken back with it: its neighbours in the chain of its wallet. */
export const LinkLane = { nextInWalletPlus1: 0, previousInWalletPlus1: 1, lanes: 2 } as const

/** Lanes of a position's record on the dormant tape that mean something else than in its row. */
export const ColdPositionLane = {
  /** The wallet's record before it that has a balance. */
  previousHolderPlus1: 30,
  previousOfWalletPlus1: 31,
} as const

/** The run of a dormant token on the dormant tape, and the values of it that reads ask for often. */
export const ColdRunLane = {
  first: 0,
  count: 1,
  creatorFlags: 3,
  /** Raw sum of the ten largest balances; 0 with no more holders than that. */
  topSumF: 2,
  creatorBalanceLo: 6,
  lanes: 8,
} as const

/** A wallet's newest records on the dormant tape. */
export const ColdWalletLane = { newestPlus1: 0, newestHolderPlus1: 1, lanes: 2 } as const

export const PositionFlag = {
  fresh: 1 << 0,
  sniper: 1 << 1,
  bundle: 1 << 2,
  insider: 1 << 3,
  creator: 1 << 4,
  /** Never a holder, never flagged (contract section 2). */
  excluded: 1 << 5,
  /** Had a balance at some time. */
  held: 1 << 6,
  /** Received some while it had no swap of its own. */
  handed: 1 << 7,
  /** Some left it, in a transaction, without a sale and without being burned. */
  gaveAway: 1 << 8,
  /** In rows only: its row of sales says what follows from the row itself where it has none in use. */
  hasSales: 1 << 9,
} as const

/** Swaps of a position whose coin only passed through on a route: their number stands above its flags. */
export const PASSED_SHIFT = 10

/** A wallet over all mints, as trader and as creator. */
export const WalletLane = {
  realizedMicroUsdF: 0,
  trades: 2,
  mints: 3,
  firstSwapAt: 4,
  positionsPlus1: 5,
  flags: 6,
  creations: 7,
  migrations: 8,
  /** Its newest records on the dormant tape (`ColdWalletLane`); 0 when it has none. */
  dormantPlus1: 9,
  lanes: 10,
} as const

/**
 * Widths that are stored, in seconds: 1 s gives the second bars, a minute the minute bars, an hour
 * all longer ones. Every width is the exact fold of the trades, so folding narrow bars gives it.
 */
export const BASE_WIDTHS_SECONDS = [1, 60, 3600] as const
/** Their numbers. */
export const BASE = { second: 0, minute: 1, hour: 2 } as const

/** First version of snapshots in which bars of minutes and hours are no rows among those of seconds. */
export const WIDE_BARS_APART = 13

/** A stored bar of a second, in the chain of its mint and width; `WideBar` begins with the same lanes. */
export const Bar = {
  time: 0,
  previousPlus1: 1,
  openUsdF: 1,
  highUsdF: 2,
  lowUsdF: 3,
  closeUsdF: 4,
  volumeMicroUsdF: 5,
  openSolF: 6,
  highSolF: 7,
  lowSolF: 8,
  closeSolF: 9,
  volumeLamportsF: 10,
  lanes: 22,
} as const

/**
 * A stored bar of a minute or an hour. `firstNarrow` is a row of the next narrower width: all bars of that width in its time
 * are from it on, and so are those of all later times. Once that row is gone, they are folded from the swaps.
 */
export const WideBar = {
  /** Tape indexes of its swaps: none is before the first, and the last one + 1. */
  firstSwap: 22,
  lastSwapPlus1: 23,
  firstNarrow: 24,
  /** Times of the swaps that its open and its close are of; trades without a price have neither. */
  openUsdTime: 25,
  closeUsdTime: 26,
  openSolTime: 27,
  closeSolTime: 28,
  lanes: 30,
} as const

/** The four prices of a series lie side by side: f64 lanes from its open on. */
export const BarPrice = { open: 0, high: 1, low: 2, close: 3 } as const

export const WalletFlag = {
  /** The feed gave a judgement; `feedPro` is its last one. */
  feedJudged: 1 << 0,
  feedPro: 1 << 1,
  /** The judgement now. */
  pro: 1 << 2,
  traded: 1 << 3,
} as const
