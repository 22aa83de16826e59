import { differingRules, THRESHOLDS, type Thresholds } from '../../base/thresholds.ts'
import { NEVER_HOLDERS } from '../../events/platform.ts'
import { PackedTexts } from '../memory/packed-texts.ts'
import { HashSlots, ROW_MASK, ROW_SHIFT, ROWS_MAX, Rows, U32List } from '../memory/rows.ts'
import {
  boundedPart,
  growingPart,
  type MemoryPart,
  StateError,
  type StatePart,
  sizesOf,
} from '../memory/state-part.ts'
import { AddressBook } from './address-book.ts'
import {
  ChangeLog,
  TOKEN_CHANGES_KEPT,
  TokenChanges,
  WINDOW_CHANGES_KEPT,
  WindowChanges,
} from './change-logs.ts'
import { Dormant } from './dormant.ts'
import { textParts } from './former-texts.ts'
import { FormerTokens } from './former-tokens.ts'
import {
  Bar,
  BarHeadLane,
  LifecycleLane,
  LinkLane,
  MetadataLane,
  NARROW_ROWS,
  PositionRowLane,
  SeldomLane,
  TokenLane,
  WalletLane,
  WIDE_BARS_APART,
  WideBar,
} from './layout.ts'
import { Quotes } from './money.ts'
import { PositionRows } from './position-rows.ts'
import { Tape } from './tape.ts'
import { Crowds, Profiles, SparseRows, WindowSums } from './token-rows.ts'
import { NEW_IDS, UndoLog } from './undo-log.ts'
import { UnseenSlots } from './unseen-slots.ts'

/**
 * `engine/state` has everything that the engine knows, in rows: tokens, positions, wallets, the tape of swaps, texts and
 * addresses. In: lanes that the fold writes. Out: lanes, and parts for a snapshot. Rows are named by number and linked by
 * number + 1; the undo log restores each row that an event may change. `State` finds, makes and saves rows, no more.
 */
export class State {
  readonly book = new AddressBook()
  readonly texts = new PackedTexts()
  readonly changes = new TokenChanges(TOKEN_CHANGES_KEPT)
  /** Tokens whose trades in the windows changed: by a swap, or by the clock. No part of the state. */
  readonly windowChanges = new WindowChanges(WINDOW_CHANGES_KEPT)
  /** Wallets whose creations or migrations changed; an event that is folded again notes them again. No part of the state. */
  readonly creatorChanges = new ChangeLog()
  /** Positions that an event changed or the undo log restored; eviction is not noted. No part of the state. */
  readonly positionChanges = new ChangeLog()
  readonly #changeLogs = [
    this.changes.log,
    this.windowChanges.log,
    this.creatorChanges,
    this.positionChanges,
  ]
  readonly undo = new UndoLog()
  readonly tokens = new Rows(TokenLane.lanes)
  readonly births = new Rows(LifecycleLane.lanes)
  readonly profiles = new Profiles(this.births)
  readonly windows = new WindowSums(this.tokens)
  readonly metadata = new Rows(MetadataLane.lanes)
  readonly links = new Rows(LinkLane.lanes)
  readonly dormant: Dormant
  readonly quotes = new Quotes(this)
  readonly wallets = new Rows(WalletLane.lanes)
  /** Stored bars of seconds, minutes and hours, and the same by base width; the oldest of seconds and minutes leave. */
  readonly bars = new Rows(Bar.lanes)
  readonly minutes = new Rows(WideBar.lanes)
  readonly hours = new Rows(WideBar.lanes)
  readonly barWidths: readonly Rows[] = [this.bars, this.minutes, this.hours]
  readonly tape: Tape
  readonly announcements = new LaunchLog()
  /** Row 0: the own price of the newest swap that carried one (f64 lane 0). */
  readonly globals = new Rows(2)
  readonly tokensUndo = this.undo.register(this.tokens, [
    TokenLane.positionsPlus1,
    TokenLane.creatorPositionPlus1,
    TokenLane.dormantPlus1,
    TokenLane.crowd,
    TokenLane.barHeads,
  ])
  readonly crowds = new Crowds(this.tokens, this.undo)
  /** Of tokens whose bars are stored. */
  readonly barHeads = new SparseRows(
    { owners: this.tokens, lane: TokenLane.barHeads },
    BarHeadLane.lanes,
    this.undo,
    { id: NEW_IDS.barHeads },
  )
  /** Texts are append-only: the event that brought them is folded again and finds them. */
  readonly birthsUndo = this.undo.register(this.births, [
    LifecycleLane.name,
    LifecycleLane.symbol,
    LifecycleLane.uri,
    LifecycleLane.seldom,
  ])
  readonly seldom = new SparseRows(
    { owners: this.births, lane: LifecycleLane.seldom },
    SeldomLane.lanes,
    this.undo,
    { id: NEW_IDS.seldom, unsaved: [SeldomLane.migrationSignature, SeldomLane.givenCoin] },
  )
  /** Positions of tokens that are not dormant; the others are records of a tape (dormant.ts). */
  readonly positions = new PositionRows(this.undo, (row) => this.positionChanges.note(row))
  readonly walletsUndo = this.undo.register(this.wallets, [
    WalletLane.positionsPlus1,
    WalletLane.dormantPlus1,
  ])
  readonly barsUndo = this.undo.register(this.bars)
  readonly globalsUndo = this.undo.register(this.globals)
  readonly neverHolders: readonly number[]
  readonly unseen = new UnseenSlots()
  /** Newest `sol_price` that arrived; 0 before the first. */
  feedSolPriceUsd = 0
  /** Unix seconds; every read is as of this moment. */
  now = 0
  readonly #positionSlots = new HashSlots()
  /** Of the former snapshot that is being loaded. */
  formerTokens: FormerTokens | null = null

  #rules: Thresholds
  readonly parts: readonly StatePart[]

  constructor(rules: Partial<Thresholds> = {}, tapeChunkRecords?: number) {
    this.#rules = { ...THRESHOLDS, ...rules }
    this.undo.onRestored(this.tokensUndo, (token) => this.changes.note(token))
    this.tape = new Tape(tapeChunkRecords)
    this.dormant = new Dormant(tapeChunkRecords)
    const named = textParts(this)
    this.parts = [
      ...this.book.parts,
      named.texts,
      ...this.#tokenParts(),
      this.windows.part('windows'),
      named.metadata,
      ...this.positions.parts,
      this.links.part('position links'),
      this.#positionSlots.part('position slots'),
      ...this.dormant.parts,
      this.wallets.part('wallets'),
      this.bars.leavingPart('bars', WIDE_BARS_APART),
      this.minutes.leavingPart('minute bars', WIDE_BARS_APART),
      this.hours.part('hour bars'),
      this.globals.part('globals', 1),
      this.quotes.part,
      this.undo.part,
      {
        name: 'clock and price',
        facts: () => [this.now, this.feedSolPriceUsd],
        views: () => [],
        open: (facts) => this.#open(facts),
        settle: () => this.#checkCounts(),
      },
    ]
    this.globals.add()
    this.neverHolders = NEVER_HOLDERS.map((address) => this.book.address(address))
  }

  /** The thresholds that count now. */
  get rules(): Thresholds {
    return this.#rules
  }

  /** Sets the thresholds, the contract's where none is given; true when they differ from those before. */
  judgeBy(rules: Partial<Thresholds> = {}): boolean {
    const next = { ...THRESHOLDS, ...rules }
    if (Object.keys(differingRules(next, this.#rules)).length === 0) return false
    this.#rules = next
    return true
  }

  /** Dollars per SOL now: contract section 1; 0 while unknown. */
  get solPriceUsd(): number {
    return this.feedSolPriceUsd > 0 ? this.feedSolPriceUsd : this.globals.f64[0][0]
  }

  /** Makes sure the rows of a token are there. */
  coverToken(token: number): void {
    while (this.tokens.count <= token) {
      this.tokens.add()
      this.births.add()
      this.metadata.add()
    }
  }

  /** To be called before an event changes what swaps change of a token. */
  saveToken(token: number): void {
    this.undo.save(this.tokensUndo, token)
    this.crowds.save(token)
    this.barHeads.save(token)
  }

  /** To be called before an event changes the birth of a token. */
  saveBirth(token: number): void {
    this.undo.save(this.birthsUndo, token)
    this.seldom.save(token)
  }

  /** To be called before an event changes a position: saves it for the undo log and notes the change. */
  changePosition(position: number): void {
    this.positions.save(position)
    this.positionChanges.note(position)
  }

  coverWallet(wallet: number): void {
    while (this.wallets.count <= wallet) this.wallets.add()
  }

  /** Position row of a wallet in a mint, or -1. */
  findPosition(token: number, wallet: number): number {
    let row = this.#positionSlots.first(hashPair(token, wallet))
    while (row >= 0) {
      const at = (row & ROW_MASK) * PositionRowLane.lanes
      const p = this.positions.u32[row >>> ROW_SHIFT]
      if (p[at + PositionRowLane.token] === token && p[at + PositionRowLane.wallet] === wallet)
        return row
      row = this.#positionSlots.next()
    }
    return -1
  }

  /** Reads the slot of a position, so that it is in the cache; the value means nothing. */
  touchPosition(token: number, wallet: number): number {
    return this.#positionSlots.touch(hashPair(token, wallet))
  }

  /**
   * Adds an empty position at the head of the chains of its mint and its wallet; the caller has looked
   * for it. Rolling back empties it, it stays findable and in its chains.
   */
  addPosition(token: number, wallet: number): number {
    const row = this.positions.add()
    const { positions, tokens, metadata } = this
    positions.set(row, PositionRowLane.token, token)
    positions.set(row, PositionRowLane.wallet, wallet)
    positions.set(row, PositionRowLane.nextInMintPlus1, tokens.get(token, TokenLane.positionsPlus1))
    tokens.set(token, TokenLane.positionsPlus1, row + 1)
    metadata.set(token, MetadataLane.positions, metadata.get(token, MetadataLane.positions) + 1)
    this.#linkInWallet(row, wallet)
    this.#positionSlots.add(hashPair(token, wallet), row)
    return row
  }

  /** The token is restored: its positions are counted as they are added again. */
  forgetPositions(token: number): void {
    this.metadata.set(token, MetadataLane.positions, 0)
  }

  /** Takes a position out of everything but the chain of its mint, and gives its row back. */
  dropPosition(row: number): void {
    const wallet = this.positions.get(row, PositionRowLane.wallet)
    const token = this.positions.get(row, PositionRowLane.token)
    this.#positionSlots.remove(hashPair(token, wallet), row)
    this.#unlinkFromWallet(row, wallet)
    this.positions.drop(row)
  }

  #linkInWallet(row: number, wallet: number): void {
    if (row === this.links.count) this.links.add()
    const next = this.wallets.get(wallet, WalletLane.positionsPlus1)
    this.wallets.set(wallet, WalletLane.positionsPlus1, row + 1)
    // The row's links are 0: it is new, or was given back.
    if (next === 0) return
    this.links.set(row, LinkLane.nextInWalletPlus1, next)
    this.links.set(next - 1, LinkLane.previousInWalletPlus1, row + 1)
  }

  #unlinkFromWallet(row: number, wallet: number): void {
    const next = this.nextInWallet(row)
    const previous = this.links.get(row, LinkLane.previousInWalletPlus1)
    if (next !== 0) this.links.set(next - 1, LinkLane.previousInWalletPlus1, previous)
    if (previous !== 0) this.links.set(previous - 1, LinkLane.nextInWalletPlus1, next)
    else this.wallets.set(wallet, WalletLane.positionsPlus1, next)
    this.links.set(row, LinkLane.nextInWalletPlus1, 0)
    this.links.set(row, LinkLane.previousInWalletPlus1, 0)
  }

  /** The next position of the same wallet + 1; 0 for none. */
  nextInWallet(row: number): number {
    return this.links.get(row, LinkLane.nextInWalletPlus1)
  }

  /** Are the bars of the next narrower width in a minute or an hour stored, all of them? Else they are folded from its swaps. */
  hasNarrow(base: number, row: number): boolean {
    return this.barWidths[base].get(row, WideBar.firstNarrow) >= this.barWidths[base - 1].first
  }

  #tokenParts(): StatePart[] {
    const tokens = this.tokens.part('tokens')
    const births = this.births.part('births')
    const formerTokens = (version: number) => {
      this.formerTokens = version < NARROW_ROWS ? new FormerTokens(this) : null
      return this.formerTokens?.tokensPart(tokens.name) ?? null
    }
    const formerBirths = () => this.formerTokens?.birthsPart(births.name) ?? null
    return [
      { ...tokens, former: formerTokens },
      { ...births, former: formerBirths },
      ...this.crowds.parts,
      this.barHeads.part('bar heads'),
      this.seldom.part('seldom births'),
      this.profiles.part('token profiles'),
    ]
  }

  #open(facts: readonly number[]): [] {
    const [now, feedSolPriceUsd] = facts
    sizesOf('clock', [now], [Number.MAX_SAFE_INTEGER])
    if (facts.length !== 2 || !(feedSolPriceUsd >= 0 && feedSolPriceUsd < Infinity))
      throw new StateError(`the state's SOL price is ${feedSolPriceUsd}, which no price can be`)
    this.now = now
    this.feedSolPriceUsd = feedSolPriceUsd
    return []
  }

  /** Rows that are made together must be there together. */
  #checkCounts(): void {
    const { count } = this.tokens
    for (const rows of [this.births, this.metadata])
      if (rows.count !== count)
        throw new StateError(`the state has ${count} tokens but ${rows.count} rows beside them`)
    if (this.links.count !== this.positions.count)
      throw new StateError('the state has positions without links, or links without positions')
    const { tokens, wallets } = this.book.counts
    if (count > tokens || this.wallets.count > wallets)
      throw new StateError('the state has tokens or wallets that its address book does not know')
  }

  /** All of it in memory, part by part. */
  get memory(): readonly MemoryPart[] {
    const { tape, tokens, births, profiles, windows, metadata, positions, dormant } = this
    const { sales, wide } = positions
    const sparse = [this.crowds.classes, this.crowds.tops, this.barHeads, this.seldom]
    const some = [...sparse.map(({ rows }) => rows), profiles, windows]
    return [
      growingPart('tape', tape),
      boundedPart('tape_spare', tape.spare),
      growingPart('positions', positions, sales, wide, this.links, this.#positionSlots),
      growingPart('dormant', dormant.tape, dormant.runs, dormant.wallets),
      boundedPart('dormant_spare', dormant.tape.spare),
      growingPart('tokens', tokens, births, metadata, ...some),
      growingPart('wallets', this.wallets),
      growingPart('bars', this.bars, this.minutes, this.hours),
      boundedPart('quote_coins', this.quotes),
      this.book.memory,
      growingPart('texts', this.texts),
      growingPart('changes', this.changes, this.windowChanges),
      boundedPart('change_logs', ...this.#changeLogs),
      boundedPart('undo', this.undo),
    ]
  }
}

function hashPair(token: number, wallet: number): number {
  let hash = Math.imul(token + 1, 0x9e3779b1) ^ Math.imul(wallet + 0x7f4a7c15, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

/**
 * Tokens in the order in which their creation and their migration arrived, each at most once: the
 * n-th is the n-th message of its channel. 8 bytes a token at most.
 */
class LaunchLog {
  readonly launches = new U32List()
  readonly migrations = new U32List()

  readonly part: StatePart = {
    name: 'announcements',
    facts: () => [this.launches.length, this.migrations.length],
    views: () => [...this.launches.views(), ...this.migrations.views()],
    open: (facts) => {
      const [launches, migrations] = sizesOf('announcements', facts, [ROWS_MAX, ROWS_MAX])
      this.launches.reset(launches)
      this.migrations.reset(migrations)
      return [...this.launches.views(), ...this.migrations.views()]
    },
    settle() {},
  }
}
