import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { encodeBase58 } from '../../src/base/base58.ts'
import {
  associatedTokenAddress,
  bondingCurveAddress,
} from '../../src/feeds/chain/layouts/program-address.ts'
import { TRADE_EVENT } from '../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import {
  ChainAccounts,
  curve,
  extendedMint,
  TOKEN_2022,
  tokenAccount,
} from '../feeds/peers/chain-accounts.ts'
import { type Block, FAILED } from '../feeds/peers/chain-blocks.ts'
import { pump } from '../feeds/peers/program-forms.ts'
import { SolanaPeer } from '../feeds/peers/solana-peer.ts'
import { newFolder } from '../new-folder.ts'
import { type Program, startProgram, until } from './program.ts'

const address = (byte: number) => encodeBase58(new Uint8Array(32).fill(byte))
const [MINT, OTHER, DEV, WHALE, TRADER] = [31, 32, 33, 34, 35].map(address)
const SLOT = 430_000_000
const SUPPLY = 10n ** 15n

/** Between two blocks: what waits for later ones would wait for ever on a chain that stands still. */
const BLOCK_MS = 200

const signatureOf = (slot: number) => encodeBase58(Buffer.alloc(64, String(slot)))

/** A block with one buy of a mint; each has something of both programs. */
function bought(mint: string, n: number): Block {
  const slot = SLOT + n
  const timestamp = Math.floor(Date.now() / 1_000)
  const trade = pump(TRADE_EVENT, {
    ...{ mint, user: TRADER, is_buy: true, timestamp: BigInt(timestamp), ix_name: 'buy' },
    ...{ sol_amount: 10n ** 9n, token_amount: 10n ** 12n, fee: 0n, creator_fee: 0n, creator: DEV },
    ...{ virtual_sol_reserves: 40n * 10n ** 9n, virtual_token_reserves: 8n * 10n ** 14n },
    ...{ real_sol_reserves: 10n ** 10n, real_token_reserves: 5n * 10n ** 14n },
  })
  const transaction = {
    ...{ signature: signatureOf(slot), index: 1, hasFailed: false, feeRaw: 5_000 },
    ...{ emitted: [trade], balances: [], signers: [TRADER] },
  }
  return { slot, parentSlot: slot - 1, timestamp, transactions: [transaction, FAILED] }
}

/** What the chain knows of a mint: half is on the curve, a whale has 10 %, the creator 2 %. */
function tellMint(known: ChainAccounts, mint: string, first: number): void {
  const own = bondingCurveAddress(mint) ?? ''
  const texts = { name: 'Was There Before', symbol: 'OLD', uri: 'ipfs://old' }
  known.accounts.set(mint, extendedMint(mint, SUPPLY, texts))
  known.accounts.set(own, curve(DEV))
  for (const [at, owner, amount] of [
    [address(first), own, SUPPLY / 2n],
    [address(first + 1), WHALE, SUPPLY / 10n],
    [associatedTokenAddress(DEV, TOKEN_2022, mint) ?? '', DEV, SUPPLY / 50n],
  ] as const)
    known.accounts.set(at, tokenAccount(mint, owner, amount))
  known.largest.set(mint, [address(first), address(first + 1)])
}

/** Plays a chain to whoever listens; it begins with a buy of MINT, and goes on with buys of OTHER. */
async function playing(refusesAll = false) {
  let isOver = false
  const blocks: Block[] = []
  const buy = (mint: string) => blocks.push(bought(mint, blocks.length + 1))
  // One is always still to come.
  for (const mint of [MINT, OTHER]) buy(mint)
  const goingOn = setInterval(() => buy(OTHER), BLOCK_MS)
  const known = new ChainAccounts()
  tellMint(known, MINT, 41)
  tellMint(known, OTHER, 51)
  const peer: SolanaPeer = new SolanaPeer({
    ...{ chain: { blocks, accounts: new Map<string, Buffer>() }, known },
    ...(refusesAll && { refuses: { method: 'getMultipleAccounts', code: -32_601 } }),
    pace: async () => {
      await sleep(1)
      await until('the next block', async () =>
        isOver || peer.told < blocks.length - 1 ? true : null,
      )
    },
  })
  const at = await peer.start()
  const over = peer.play()
  onTestFinished(async () => {
    isOver = true
    clearInterval(goingOn)
    peer.stop()
    await over
  })
  const settings = {
    ...{ FEED: 'solana', SOLANA_RPC_URL: `http://${at}`, SOLANA_WS_URL: `ws://${at}` },
    ...{ SOL_PRICE: 'fixed:150', DATA_DIR: newFolder(), HYDRATE_RPS: '50', RATE_LIMIT: 'off' },
  }
  return { peer, settings, buy }
}

/** An answer but for how long a wallet holds, which goes on. */
async function textOf({ url }: Program, path: string): Promise<string> {
  const text = await (await fetch(`${url}/api/v2${path}`)).text()
  return text.replaceAll(/"hold_time_seconds":\d+/g, '')
}

async function tokenOf(program: Program): Promise<Record<string, unknown> | null> {
  const answer = await fetch(`${program.url}/api/v2/tokens/${MINT}`)
  return answer.ok ? (answer.json() as Promise<Record<string, unknown>>) : null
}

const figuresOf = async ({ url }: Program) =>
  (await fetch(`${url}/readyz`)).json() as Promise<Record<string, unknown>>

test('a token from before the start gets its name, creator and holders, and they last over a restart', async () => {
  const { peer, settings, buy } = await playing()
  const first = await startProgram(settings)
  const known = await until('its holders', async () => {
    const token = await tokenOf(first)
    return token !== null && Number(token.top_10_percent) > 10 ? token : null
  })
  expect(known).toMatchObject({
    ...{ name: 'Was There Before', symbol: 'OLD', uri: 'ipfs://old', creator: DEV },
    ...{ bonding_curve: bondingCurveAddress(MINT), token_program: TOKEN_2022 },
    ...{ history_complete: false, creator_holding_pct: 2, holders: 3 },
    top_10_percent: 12.1,
  })
  await until('nothing waits to be asked', async () =>
    (await figuresOf(first)).hydration_waiting === 0 ? true : null,
  )
  const holders = await textOf(first, `/tokens/${MINT}/holders`)
  const found = await textOf(first, `/search/tokens/${MINT}/market-data`)
  expect(await first.end('SIGTERM')).toBe(0)
  const asked = peer.asked.get('getTokenLargestAccounts') ?? 0
  const again = await startProgram(settings)
  expect(await textOf(again, `/tokens/${MINT}/holders`)).toBe(holders)
  expect(await textOf(again, `/search/tokens/${MINT}/market-data`)).toBe(found)
  buy(MINT)
  await until('the trade behind the restart', async () =>
    Number((await tokenOf(again))?.swaps) >= 2 ? true : null,
  )
  await until('nothing waits to be asked', async () =>
    (await figuresOf(again)).hydration_waiting === 0 ? true : null,
  )
  expect(peer.asked.get('getTokenLargestAccounts')).toBe(asked)
  expect(await again.end('SIGTERM')).toBe(0)
})

test('a server that refuses to tell accounts leaves the trades as they are', async () => {
  const { settings } = await playing(true)
  const program = await startProgram(settings)
  await program.seen(/What the chain knows of tokens could not be asked for/)
  await until('the trades', async () => {
    const { swaps, hydration_errors_total } = await figuresOf(program)
    return Number(swaps) >= 2 && Number(hydration_errors_total) >= 1 ? true : null
  })
  expect(await tokenOf(program)).toMatchObject({ name: '', history_complete: false })
  expect(await program.end('SIGTERM')).toBe(0)
})
