import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { type Cursor, Mintfeed } from '../../client/src/mintfeed.ts'
import { alertsCommand } from '../../src/commands/alerts-command.ts'
import { runCommand } from '../../src/commands/run-command.ts'
import { eventLineText, type FeedEvent } from '../../src/events/event.ts'
import { gathered } from '../client/gathered.ts'
import { newFolder } from '../new-folder.ts'
import { created, migrated, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { type Program, runProgram, type Settings, startProgram, until } from '../process/program.ts'
import { LiveClient } from '../server/live-client.ts'
import { Receiver } from './receiver.ts'

const SECRET = 'a secret that is long enough'
const random = new Random(49)
const [MINT, WALLET, CREATOR] = [random.base58(44), random.base58(44), random.base58(44)]
const TOKEN = { host: 'x'.repeat(16) }.host

async function started(settings: Settings) {
  const program = await startProgram({
    ...{ FEED: 'stdin', CLOCK: 'event', ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'info' },
    ...{ ALERTS_NETWORKS: '127.0.0.1', ...settings },
  })
  onTestFinished(() => void program.end('SIGKILL'))
  const port = /"port":(\d+)/.exec(await program.seen(/"msg":"admin surface"/))?.[1]
  const admin = `http://127.0.0.1:${port}`
  const order = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(admin + path, init)
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }
  return { program, admin, order }
}

async function receiverOn(mood: Receiver['mood'] = 'takes'): Promise<Receiver> {
  const receiver = new Receiver(SECRET)
  receiver.mood = mood
  await receiver.start()
  onTestFinished(() => receiver.stop())
  return receiver
}

function feed({ child }: Program, ...events: readonly FeedEvent[]): void {
  for (const event of events) child.stdin?.write(`${eventLineText(event)}\n`)
}

const at = (second: number) => ({ slot: 200 + second, timestamp: START_SECOND + second })
const trade = (second: number) => swap({ ...at(second), mint: MINT, signer: WALLET })
const launch = created({ ...at(0), mint: MINT, creator: CREATOR, tokenProgram: 'program' })

const taken = (receiver: Receiver, count: number) =>
  until(`${count} deliveries`, async () => (receiver.taken.length >= count ? true : null))

test('rules of every kind deliver what they are about, in order and signed, and nothing of them is told', async () => {
  const receiver = await receiverOn()
  const { program, order } = await started({ DATA_DIR: newFolder() })
  const webhook = { url: `${receiver.url}?key=hidden`, secret: SECRET }
  const rule = (id: string, when: object) => ({ id, when, to: { webhook } })
  const filter = { type: 'new', newPools: { txsBuys: { min: 2 } } }
  for (const one of [
    rule('wallet', { kind: 'wallet', wallets: [WALLET] }),
    rule('launch', { kind: 'launch', creators: [CREATOR] }),
    rule('migration', { kind: 'migration', mint: MINT }),
    rule('filter', { kind: 'filter', filter }),
    rule('cap', { kind: 'market_cap', value: 1, direction: 'up', mint: MINT }),
  ])
    expect(await order('POST', '/alerts', one)).toMatchObject({ status: 201, body: { id: one.id } })
  const price = { type: 'sol_price', timestamp: START_SECOND, usd: 150 } as const
  feed(program, price, launch, trade(1), trade(2), trade(3))
  feed(program, migrated({ ...at(4), mint: MINT }))
  const events = ['launch', 'wallet', 'wallet', 'wallet', 'migration', 'filter', 'filter', 'cap']
  await taken(receiver, events.length)
  expect(receiver.taken.map((one) => one.rule).sort()).toEqual([...events].sort())
  expect(receiver.badSignatures).toBe(0)
  const ofRule = (id: string) => receiver.taken.filter((one) => one.rule === id)
  expect(
    ofRule('wallet').map(({ seq, id, epoch }) => [seq, id === `${epoch}:${seq}:wallet`]),
  ).toEqual([...[3, 4, 5].map((seq) => [seq, true])])
  expect(ofRule('wallet')[0]).toMatchObject({
    event: 'wallet_traded',
    data: { signer: WALLET, mint: MINT },
  })
  expect(ofRule('launch')[0]).toMatchObject({ event: 'token_launched', data: { creator: CREATOR } })
  expect(ofRule('migration')[0]).toMatchObject({ event: 'token_migrated', data: { mint: MINT } })
  expect(ofRule('filter').map(({ event }) => event)).toEqual(['filter_entered', 'filter_left'])
  expect(ofRule('cap')[0]).toMatchObject({
    event: 'market_cap_crossed',
    data: { mint: MINT, direction: 'up' },
  })
  const listed = JSON.stringify((await order('GET', '/alerts')).body)
  for (const text of [listed, program.lines.join()]) {
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('hidden')
  }
})

test('rules are replaced, switched off, tested and removed; what cannot be is refused in one sentence', async () => {
  const receiver = await receiverOn()
  const { program, order } = await started({ DATA_DIR: newFolder() })
  const when = { kind: 'wallet', wallets: [WALLET] }
  const made = await order('POST', '/alerts', { when, to: { webhook: { url: receiver.url } } })
  expect(made.body.secret).toMatch(/^[0-9a-f]{64}$/)
  const { id } = made.body
  expect((await order('GET', `/alerts/${id}`)).body.secret).toBeUndefined()
  const own = { url: receiver.url, secret: SECRET }
  expect((await order('PUT', `/alerts/${id}`, { when, to: { webhook: own } })).status).toBe(200)
  // Another name, and the secret of before.
  const renamed = { name: 'mine', when, to: { webhook: { url: receiver.url } } }
  expect((await order('PUT', `/alerts/${id}`, renamed)).body).toMatchObject({ name: 'mine' })
  expect((await order('POST', `/alerts/${id}/test`)).body).toEqual({ delivered: true, status: 204 })
  expect(receiver.taken[0]?.event).toBe('test')
  expect((await order('POST', `/alerts/${id}/disable`)).body).toMatchObject({ enabled: false })
  feed(program, launch, trade(1))
  await until('the trade', async () => {
    const text = await (await fetch(`${program.url}/metrics`)).text()
    return /^mintfeed_swaps 1$/m.test(text) ? true : null
  })
  expect((await order('POST', `/alerts/${id}/enable`)).body).toMatchObject({ enabled: true })
  feed(program, trade(2))
  await taken(receiver, 2)
  expect(receiver.taken[1]).toMatchObject({ rule: id, seq: 3 })
  expect(receiver.badSignatures).toBe(0)
  expect((await order('POST', '/alerts', { id, when, to: { live: true } })).status).toBe(409)
  expect(
    (await order('POST', '/alerts', { when: { kind: 'moon' }, to: { live: true } })).body,
  ).toEqual({
    message:
      'when.kind came as "moon", allowed are filter, price, market_cap, wallet, migration, launch.',
  })
  expect((await order('DELETE', `/alerts/${id}`)).status).toBe(200)
  expect((await order('DELETE', `/alerts/${id}`)).body).toEqual({
    message: `There is no rule "${id}".`,
  })
  expect((await order('GET', '/alerts')).body.rules).toEqual([])
})

test('dead letters outlive a kill, are listed, and arrive when they are sent again, by the command line', async () => {
  const receiver = await receiverOn('answers 500')
  const folder = newFolder()
  const settings = { DATA_DIR: folder, ALERTS_RETRY: '1s' }
  const first = await started(settings)
  const to = { webhook: { url: receiver.url, secret: SECRET } }
  await first.order('POST', '/alerts', { id: 'r', when: { kind: 'wallet', wallets: [WALLET] }, to })
  feed(first.program, launch, trade(1), trade(2))
  const deadOf = async ({ order }: typeof first) => (await order('GET', '/dead-letters')).body
  await until('dead letters', async () => ((await deadOf(first)).total === 2 ? true : null))
  await first.program.end('SIGKILL')
  const again = await started(settings)
  expect(await deadOf(again)).toMatchObject({
    total: 2,
    items: [
      { rule: 'r', reason: 'it answered (500)', body: { seq: 2 } },
      { rule: 'r', body: { seq: 3 } },
    ],
  })
  receiver.mood = 'takes'
  const out = async (...args: readonly string[]) => {
    const stdout = new PassThrough({ encoding: 'utf8' })
    const stderr = new PassThrough({ encoding: 'utf8' })
    const environment = { ADMIN_TOKEN: TOKEN }
    const terminal = { stdin: new PassThrough(), stdout, stderr, environment }
    const commands = new Map([['alerts', alertsCommand]])
    const code = await runCommand(['alerts', ...args, '--url', again.admin], terminal, commands)
    return [code, `${stdout.read() ?? ''}${stderr.read() ?? ''}`]
  }
  expect(await out('list')).toEqual([
    0,
    expect.stringContaining('r  on   wallet  r  (0 waiting, 0 delivered'),
  ])
  expect(await out('dead', 'r')).toEqual([
    0,
    expect.stringMatching(/:2:r {2}it answered \(500\)\n/),
  ])
  expect(await out('resend', 'r')).toEqual([0, expect.stringContaining('"resent": 2')])
  await taken(receiver, 2)
  expect(receiver.taken.map(({ seq }) => seq)).toEqual([2, 3])
  expect((await deadOf(again)).total).toBe(0)
  expect(await out('test', 'nobody')).toEqual([1, 'mintfeed: There is no rule "nobody".\n'])
  expect(await out('frobnicate')).toEqual([
    2,
    expect.stringContaining('There is no order "frobnicate"'),
  ])
  expect(await out('remove', 'r')).toEqual([0, expect.stringContaining('is removed')])
})

test('the port of the service in place of the admin surface is answered with a hint at ADMIN_PORT', async () => {
  const { program, admin } = await started({})
  const errors = async (url: string) => {
    const stderr = new PassThrough({ encoding: 'utf8' })
    const environment = { ADMIN_TOKEN: TOKEN }
    const terminal = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, environment }
    const commands = new Map([['alerts', alertsCommand]])
    await runCommand(['alerts', 'show', 'nobody', '--url', url], terminal, commands)
    return String(stderr.read())
  }
  expect(await errors(program.url)).toContain('the admin surface is at the port of ADMIN_PORT')
  expect(await errors(admin)).not.toContain('ADMIN_PORT')
})

test('followers of the live channel get alerts with their numbers, and resume over a kill', async () => {
  const folder = newFolder()
  const first = await started({ DATA_DIR: folder })
  const when = { kind: 'wallet', wallets: [WALLET] }
  await first.order('POST', '/alerts', { id: 'live', when, to: { live: true } })
  const follow = async (program: Program, data: object) => {
    const url = `${program.url.replace('http', 'ws')}/ws?id=me`
    const client = await LiveClient.open(url)
    onTestFinished(() => client.close())
    const ack = await client.ask({
      event: 'alerts',
      data: { action: 'subscribe', id: 'me', ...data },
    })
    return { client, ack }
  }
  const one = await follow(first.program, {})
  expect(one.ack).toMatchObject({ type: 'subscribed', event: 'alerts', seq: 0 })
  feed(first.program, launch, trade(1))
  expect(await one.client.next()).toMatchObject({
    ...{ channel: 'alerts', seq: 1 },
    data: { rule: 'live', seq: 2, event: 'wallet_traded', data: { signer: WALLET } },
  })
  one.client.close()
  feed(first.program, trade(2))
  await until('the second', async () => {
    const text = await (await fetch(`${first.program.url}/metrics`)).text()
    return /^mintfeed_alerts_found_total 2$/m.test(text) ? true : null
  })
  await first.program.end('SIGKILL')
  const again = await started({ DATA_DIR: folder })
  const told = async (query: string) => {
    const answer = await fetch(`${again.program.url}/api/v2/alerts${query}`)
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }
  expect(await told('?after=1')).toMatchObject({
    status: 200,
    body: { head: 2, next_after: 2, missed: false, items: [{ n: 2, rule: 'live', seq: 3 }] },
  })
  expect((await told('?limit=1')).body.items).toMatchObject([{ n: 2 }])
  expect((await told('?rule=another')).body).toEqual({
    ...{ head: 2, next_after: 2, missed: false, items: [] },
  })
  expect((await told('?rule=no%20id')).body.message).toBe(
    'rule came as "no id", the id of a rule is expected.',
  )
  expect((await told('?after=-1')).status).toBe(400)
  const two = await follow(again.program, { from_seq: 1 })
  expect(await two.client.next()).toMatchObject({ channel: 'alerts', seq: 2, data: { seq: 3 } })
  feed(again.program, trade(3))
  expect(await two.client.next()).toMatchObject({ channel: 'alerts', seq: 3, data: { seq: 4 } })
})

test('the client follows alerts of every kind, typed, and goes on over a kill of the service', async () => {
  const folder = newFolder()
  const first = await started({ DATA_DIR: folder })
  const filter = { type: 'new', newPools: { txsBuys: { min: 2 } } }
  const rules = {
    wallet: { kind: 'wallet', wallets: [WALLET] },
    launch: { kind: 'launch', creators: [CREATOR] },
    migration: { kind: 'migration' },
    filter: { kind: 'filter', filter },
    cap: { kind: 'market_cap', value: 1, mint: MINT },
  }
  for (const [id, when] of Object.entries(rules))
    await first.order('POST', '/alerts', { id, when, to: { live: true } })
  const followed = (program: Program, from?: Cursor) => {
    const client = new Mintfeed(program.url)
    onTestFinished(() => client.close())
    return gathered(client.live.alerts(from === undefined ? {} : { from }))
  }
  const updates = followed(first.program)
  await until('the snapshot', async () => (updates.length > 0 ? true : null))
  expect(updates[0]).toMatchObject({ kind: 'snapshot', seq: 0, data: [] })
  const price = { type: 'sol_price', timestamp: START_SECOND, usd: 150 } as const
  feed(first.program, price, launch, trade(1), trade(2), trade(3))
  feed(first.program, migrated({ ...at(4), mint: MINT }))
  await until('eight alerts', async () => (updates.length > 8 ? true : null))
  const told = updates.flatMap((update) => (update.kind === 'event' ? [update] : []))
  expect(told.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(told.map(({ data }) => data.data.mint)).toEqual(told.map(() => MINT))
  const kinds = new Set(told.map(({ data }) => data.event))
  expect([...kinds].sort()).toEqual([
    ...['filter_entered', 'filter_left', 'market_cap_crossed'],
    ...['token_launched', 'token_migrated', 'wallet_traded'],
  ])
  await first.program.end('SIGKILL')
  const again = await started({ DATA_DIR: folder })
  const { seq, epoch } = told[5]
  const rest = followed(again.program, { seq, epoch })
  await until('the rest', async () => (rest.length > 1 ? true : null))
  expect(rest.map((update) => update.kind === 'event' && update.data)).toEqual(
    told.slice(6).map(({ data }) => data),
  )
  // Who comes anew has what was told so far.
  const late = followed(again.program)
  await until('the snapshot', async () => (late.length > 0 ? true : null))
  expect(late[0]).toMatchObject({ kind: 'snapshot', data: told.map(({ data }) => data) })
})

test('a file of rules is taken whole or stops the start with one sentence, and is changed there alone', async () => {
  const folder = newFolder()
  const file = join(folder, 'alerts.json')
  const receiver = await receiverOn()
  const webhook = { url: receiver.url, secret: SECRET }
  const rule = { id: 'of-file', when: { kind: 'wallet', wallets: [WALLET] }, to: { webhook } }
  writeFileSync(
    file,
    JSON.stringify({ rules: [rule, { ...rule, to: { webhook: { url: receiver.url } } }] }),
  )
  const settings = { DATA_DIR: join(folder, 'data'), ALERTS_FILE: file }
  const ALERTS_NETWORKS = '127.0.0.1'
  expect(await runProgram({ ...settings, ALERTS_NETWORKS, FEED: 'none', PORT: '0' })).toEqual({
    code: 2,
    errors: expect.stringContaining(
      `mintfeed: ALERTS_FILE ${file} cannot be used: rule 2: to.webhook.secret is missing: a file has to name it.\n`,
    ),
  })
  writeFileSync(file, JSON.stringify({ rules: [rule] }))
  const { program, order } = await started(settings)
  feed(program, launch, trade(1))
  await taken(receiver, 1)
  expect((await order('DELETE', '/alerts/of-file')).body.message).toContain('stands in ALERTS_FILE')
  expect((await order('GET', '/alerts')).body.rules).toMatchObject([
    { id: 'of-file', source: 'file' },
  ])
  expect(readFileSync(file, 'utf8')).toContain(SECRET)
})

test('a start has the labels of wallets before it looks at events, so that no labelled holder came or left', async () => {
  const folder = newFolder()
  const [labels, file] = [join(folder, 'labels.csv'), join(folder, 'alerts.json')]
  writeFileSync(labels, `${WALLET},Whale,kol`)
  const when = { kind: 'filter', filter: { type: 'new', newPools: { heldBy: { tag: 'kol' } } } }
  writeFileSync(file, JSON.stringify({ rules: [{ id: 'kol', when, to: { live: true } }] }))
  const settings = { DATA_DIR: join(folder, 'data'), WALLET_LABELS: labels }
  const other = { mint: random.base58(44), signer: CREATOR }
  const folded = ({ url }: Program, swaps: number) =>
    until(`${swaps} swaps`, async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return text.includes(`\nmintfeed_swaps ${swaps}\n`) ? true : null
    })
  const told = async ({ url }: Program) => {
    const answer = await fetch(`${url}/api/v2/alerts`)
    const { items } = JSON.parse(await answer.text())
    return items.map(({ event, data }: { event: string; data: { mint: string } }) => [
      ...[event, data.mint],
    ])
  }
  const first = await started(settings)
  feed(first.program, launch, trade(1))
  await folded(first.program, 1)
  await first.program.end('SIGTERM')
  const { program } = await started({ ...settings, ALERTS_FILE: file })
  feed(
    program,
    created({ ...at(2), mint: other.mint }),
    swap({ ...at(3), ...other, signer: WALLET }),
  )
  const entered = [['filter_entered', other.mint]]
  feed(program, swap({ ...at(4), mint: MINT, signer: CREATOR }))
  await until('an alert', async () => ((await told(program)).length > 0 ? true : null))
  expect(await told(program)).toEqual(entered)
  // Nobody has looked at these when the program is killed.
  for (const second of [5, 6, 7])
    feed(program, swap({ ...at(second), mint: MINT, signer: CREATOR }))
  await folded(program, 6)
  await program.end('SIGKILL')
  const again = await started({ ...settings, ALERTS_FILE: file })
  feed(again.program, swap({ ...at(20), mint: MINT, signer: CREATOR }))
  await folded(again.program, 7)
  expect(await told(again.program)).toEqual(entered)
})

test('without a data folder alerts work until the program ends', async () => {
  const receiver = await receiverOn()
  const { program, order } = await started({ DATA_DIR: 'none' })
  const to = { webhook: { url: receiver.url, secret: SECRET } }
  const when = { kind: 'launch', creators: [CREATOR] }
  expect((await order('POST', '/alerts', { id: 'r', when, to })).status).toBe(201)
  feed(program, launch)
  await taken(receiver, 1)
})
