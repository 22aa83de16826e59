import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { isRecord, listAt } from '../../src/base/json-access.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import type { EngineServer } from '../server/engine-server.ts'
import { marketServer, named } from './market.ts'

const INSPECTOR = inspector()
const WITHIN_MS = 120_000

/** The protocol's inspector: MINTFEED_MCP_INSPECTOR, else of PATH. It brings 111 MB, so it is not among the packages. */
function inspector(): string | null {
  const given = process.env.MINTFEED_MCP_INSPECTOR ?? ''
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = given === '' ? folders.map((folder) => join(folder, 'mcp-inspector')) : [given]
  const found = paths.find((path) => existsSync(path))
  if (found === undefined)
    console.log(
      'There is no mcp-inspector here (PATH, MINTFEED_MCP_INSPECTOR; npm install -g @modelcontextprotocol/inspector): its tests are skipped.',
    )
  return found ?? null
}

const [MINT = ''] = named('mint')
const [WALLET = ''] = named('signer')
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  search_tokens: ['query=a', 'limit=2'],
  get_token: [`mint=${MINT}`],
  get_table: ['type=new', 'limit=2', 'filters={"holders":{"min":1}}'],
  get_trending: ['window=24h', 'by=trades', 'limit=3'],
  get_chart: [`mint=${MINT}`, 'resolution=5', 'countback=3'],
  get_traders: [`mint=${MINT}`, 'limit=2', 'order_by=bought_tokens'],
  get_wallet: [`wallet=${WALLET}`, 'limit=2'],
  get_wallet_summary: [`wallet=${WALLET}`],
  get_top_wallets: ['window=all', 'by=volume', 'limit=2'],
  get_prices: [`mints=["${MINT}"]`],
  get_swaps: [`mint=${MINT}`, 'limit=2'],
  get_alerts: ['limit=2'],
}

let service: EngineServer
beforeAll(async () => {
  service = await marketServer()
})
afterAll(() => service.server.stop())

/** Runs the inspector; what it printed, as JSON. */
async function inspected(over: 'http' | 'stdio', args: readonly string[]): Promise<unknown> {
  const { url } = service.server
  const server =
    over === 'http'
      ? [`${url}/mcp`, '--transport', 'http']
      : [process.execPath, ...NODE_FLAGS, programPath(), 'mcp', `--url=${url}`]
  const options = { timeout: WITHIN_MS, maxBuffer: 2 ** 24 }
  const all = [INSPECTOR ?? '', '--cli', ...server, ...args]
  const { stdout } = await promisify(execFile)(process.execPath, all, options)
  const value: unknown = JSON.parse(stdout)
  return value
}

test('the inspector is given what every tool needs', () => {
  expect(Object.keys(GIVEN)).toEqual(TOOLS.map(({ name }) => name))
})

test.skipIf(INSPECTOR === null).each(['http', 'stdio'] as const)(
  'the official inspector lists and calls every tool over %s',
  async (over) => {
    const listed = listAt(await inspected(over, ['--method', 'tools/list']), 'tools') ?? []
    const names = listed.map((tool) => isRecord(tool) && tool.name)
    expect(names).toEqual(TOOLS.map(({ name }) => name))
    for (const [name, given] of Object.entries(GIVEN)) {
      const values = given.flatMap((value) => ['--tool-arg', value])
      const call = ['--method', 'tools/call', '--tool-name', name, ...values]
      const result = await inspected(over, call)
      expect(result, name).toMatchObject({
        content: expect.arrayContaining([{ type: 'text', text: expect.any(String) }]),
        structuredContent: expect.any(Object),
      })
      expect(isRecord(result) && result.isError === true, name).toBe(false)
    }
  },
  WITHIN_MS,
)

test.skipIf(INSPECTOR === null)(
  'the official inspector lists and reads resources',
  async () => {
    const listed = await inspected('http', ['--method', 'resources/list'])
    expect(listAt(listed, 'resources')).toHaveLength(3)
    const templates = await inspected('http', ['--method', 'resources/templates/list'])
    expect(listAt(templates, 'resourceTemplates')).toHaveLength(3)
    const uri = `mintfeed://token/${MINT}`
    const read = await inspected('http', ['--method', 'resources/read', '--uri', uri])
    expect(listAt(read, 'contents')).toEqual([expect.objectContaining({ uri })])
  },
  WITHIN_MS,
)
