/**
 * Prints which files of src one swap passes from the feed's pipe to a socket that follows its mint, and which
 * ones a table query passes: those that run something each time (`npm run structure -- --passed`).
 */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { encodeBase58 } from '../../src/base/base58.ts'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { launch } from '../process/program.ts'
import { ROOT } from './source-files.ts'

/** A timer of the program that runs each time would count as passed. */
const TIMES = 32
const FIRST_SLOT = 1_000

export interface Passed {
  readonly swap: readonly string[]
  readonly table: readonly string[]
}

export async function passedFiles(): Promise<Passed> {
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-'))
  const settings = {
    FEED: 'stdin',
    PORT: '0',
    RATE_LIMIT: 'off',
    CHECK_CACHE: '0',
    DATA_DIR: folder,
  }
  const program = launch(settings, [], ROOT, join(ROOT, 'test/tidy/passed-program.ts'))
  const ready = /"url":"([^"]+)".*"msg":"ready"/
  const url = ready.exec(await program.seen(ready))?.[1] ?? ''
  const { child } = program
  const ran = async (): Promise<string[]> => {
    const told = once(child, 'message')
    child.send('what ran?')
    const [files]: unknown[] = await told
    return Array.isArray(files) ? files.map(String) : []
  }
  const lines = new EventLines('Passed', new Random(1), FIRST_SLOT)
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?id=passed`)
  await once(socket, 'open')
  const next = () => once(socket, 'message')
  const subscribed = next()
  for (const mint of lines.mints.map(withAddresses))
    socket.send(
      JSON.stringify({
        event: 'update_mint_info',
        data: { action: 'subscribe', id: 'passed', mint },
      }),
    )
  await subscribed
  child.stdin?.write(withAddresses(lines.opening() + lines.more(1)))

  const ask = async (min: number) => {
    const body = JSON.stringify({ newPools: { holders: { min } } })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v2/meme`, { method: 'POST', headers, body })
    await answer.text()
  }
  const swaps: string[][] = []
  const tables: string[][] = []
  for (let time = 0; time < TIMES; time++) {
    await ask(TIMES + time)
    await ran()
    await ask(time)
    tables.push(await ran())
  }
  for (let time = 0; time < TIMES; time++) {
    await ran()
    const frame = next()
    child.stdin?.write(withAddresses(swapLine(lines)))
    await frame
    swaps.push(await ran())
  }
  socket.terminate()
  await program.end('SIGTERM')
  rmSync(folder, { recursive: true })
  return { swap: inAll(swaps), table: inAll(tables) }
}

/** A line of one swap: the lines that come before and behind it are left out. */
function swapLine(lines: EventLines): string {
  const swap = lines
    .more(1)
    .split('\n')
    .find((line) => line.includes('"type":"swap"'))
  return `${swap}\n`
}

/** The made-up names of mints, curves and wallets as the addresses that they are on the chain. */
function withAddresses(text: string): string {
  return text.replace(/Passed(Mint\d+pump(Curve)?|Wallet\d+)/g, (name) =>
    encodeBase58(createHash('sha256').update(name).digest()),
  )
}

/** Files of every run, without those that watch the loop from its side a hundred times a second. */
function inAll(runs: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = runs
  const passed = first.filter((file) => others.every((run) => run.includes(file)))
  return passed.filter((file) => !file.startsWith('src/figures/'))
}
