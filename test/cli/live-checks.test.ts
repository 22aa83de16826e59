import { createServer, type Server } from 'node:http'
import {
  Server as GrpcServer,
  ServerCredentials,
  type ServerDuplexStream,
  status,
} from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { checkLiveFeeds } from '../../src/cli/live-checks.ts'
import { readConfig } from '../../src/config/config.ts'
import { SUBSCRIBE } from '../../src/feeds/yellowstone/geyser-client.ts'
import { MockSocketServer } from '../feeds/mock-socket-server.ts'
import { GeyserPeer } from '../feeds/peers/geyser-peer.ts'
import { SolanaPeer } from '../feeds/peers/solana-peer.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { listening } from '../process/free-port.ts'

const chain = syntheticChain(1, 5)

const found = async (environment: Record<string, string>) =>
  (await checkLiveFeeds(readConfig([], environment))).map(
    ({ level, about, says }) => `${level} ${about}: ${says}`,
  )

/** A server that answers every request with one status, handshakes too. */
async function refusing(statusCode: number): Promise<string> {
  const server: Server = createServer((_, response) => response.writeHead(statusCode).end())
  server.on('upgrade', (_, socket) => {
    socket.end(`HTTP/1.1 ${statusCode} No\r\nContent-Length: 0\r\n\r\n`)
  })
  onTestFinished(() => void server.close())
  return `127.0.0.1:${await listening(server)}`
}

test('feeds that need no server are not asked', async () => {
  expect(await found({ FEED: 'sim' })).toEqual([])
})

test('a Solana server is asked over HTTP and WebSocket, and its key is never shown', async () => {
  const peer = new SolanaPeer({ chain })
  const host = await peer.start()
  onTestFinished(() => peer.stop())
  const environment = {
    FEED: 'solana',
    SOLANA_RPC_URL: `http://${host}/?api-key=hidden`,
    SOLANA_WS_URL: `ws://${host}/?api-key=hidden`,
  }
  const lines = await found(environment)
  expect(lines).toEqual([`good solana rpc: ${host} answers.`, `good solana ws: ${host} answers.`])
  const refuser = await refusing(401)
  const refused = await found({
    FEED: 'solana',
    SOLANA_RPC_URL: `http://${refuser}/?api-key=hidden`,
    SOLANA_WS_URL: `ws://${refuser}/?api-key=hidden`,
  })
  expect(refused).toHaveLength(2)
  expect(refused[0]).toMatch(/^bad solana rpc: .* refuses what is set .*401.*SOLANA_RPC_URL/)
  expect(refused[1]).toMatch(/^bad solana ws: .* refuses what is set .*401.*SOLANA_WS_URL/)
  expect(refused.join()).not.toContain('hidden')
})

test('a Yellowstone server says whether the token is the right one', async () => {
  const peer = new GeyserPeer({ chain, token: 'right' })
  const url = await peer.start()
  onTestFinished(() => peer.stop())
  void peer.play()
  const { host } = new URL(url)
  const asked = (token: string) =>
    found({ FEED: 'yellowstone', YELLOWSTONE_URL: url, YELLOWSTONE_TOKEN: token })
  expect(await asked('right')).toEqual([`good yellowstone: ${host} answers.`])
  expect(await asked('wrong')).toEqual([
    `bad yellowstone: ${host} refuses what is set (unauthenticated): check YELLOWSTONE_URL and YELLOWSTONE_TOKEN.`,
  ])
})

test('PumpPortal: an answer, a complaint, nobody there', async () => {
  const server = await MockSocketServer.listen()
  const { host } = new URL(server.url)
  const asked = () => found({ FEED: 'pumpportal', PUMPPORTAL_URL: server.url })
  const answering = (message: object) => {
    const timer = setInterval(() => server.say(message), 10)
    return () => clearInterval(timer)
  }
  const stopAnswers = answering({ message: 'Successfully subscribed.' })
  expect(await asked()).toEqual([`good pumpportal: ${host} answers.`])
  stopAnswers()
  const stopComplaints = answering({ errors: 'Unauthorized: no such key' })
  expect((await asked())[0]).toMatch(/^bad pumpportal: .* refuses what is set .*PUMPPORTAL_KEY/)
  stopComplaints()
  await server.close()
  expect((await asked())[0]).toMatch(/^bad pumpportal: .* does not answer .*ECONNREFUSED/)
})

test('a server that takes the question and says nothing is given up in time', async () => {
  const server = await MockSocketServer.listen()
  onTestFinished(() => void server.close())
  const lines = await found({ FEED: 'pumpportal', PUMPPORTAL_URL: server.url })
  expect(lines[0]).toMatch(/^bad pumpportal: .* does not answer \(nothing came within 5 s\)/)
})

test('too many requests are a warning: the credentials are right', async () => {
  const refuser = await refusing(429)
  const lines = await found({
    FEED: 'solana',
    SOLANA_RPC_URL: `http://${refuser}`,
    SOLANA_WS_URL: `ws://${refuser}`,
  })
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^warn solana rpc: .* too many requests/)
  expect(lines[1]).toMatch(/^warn solana ws: .* too many requests/)
})

test("a server's own words stay on their line, short and without what a terminal obeys", async () => {
  const words = `\u001b[2J\u009b1A\r\ngood  solana ws    all is well ${'x'.repeat(100_000)}`
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, message: words } })),
  )
  const host = `127.0.0.1:${await listening(server)}`
  onTestFinished(() => void server.close())
  const socketServer = new WebSocketServer({ server })
  socketServer.on('connection', (socket) =>
    socket.on('message', () => socket.send(`{"error":1}${words}`)),
  )
  const lines = await found({
    FEED: 'solana',
    SOLANA_RPC_URL: `http://${host}`,
    SOLANA_WS_URL: `ws://${host}`,
  })
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).toMatch(/^bad solana (rpc|ws): .* does not answer \(.*all is well/)
    expect(line).not.toMatch(/\p{Cc}/u)
    expect(line.length).toBeLessThan(400)
  }
})

test('a server that repeats the address in its refusal has no key of it shown', async () => {
  const key = 'e3b0c44298fc1c149afbf4c8996fb924'
  const server = createServer((request, response) => {
    const message = `invalid api key ${request.url} ${'x'.repeat(130)}${key}`
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, message } }))
  })
  const host = `127.0.0.1:${await listening(server)}`
  onTestFinished(() => void server.close())
  const socketServer = new WebSocketServer({ server })
  socketServer.on('connection', (socket, request) =>
    socket.on('message', () =>
      socket.send(`{"errors":"key refused ${request.url} ${'x'.repeat(90)}${key}"}`),
    ),
  )
  const lines = await found({
    FEED: 'solana,pumpportal',
    SOLANA_RPC_URL: `http://${host}/${key}`,
    SOLANA_WS_URL: `ws://${host}/?api-key=${key}`,
    PUMPPORTAL_URL: `ws://${host}/`,
    PUMPPORTAL_KEY: key,
  })
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).toMatch(/\((invalid api key|.*key refused)/)
    expect(line).not.toContain(key.slice(0, 8))
  }
})

test('a Yellowstone server that repeats the token in its refusal has it not shown', async () => {
  const token = 'a-token-of-yellowstone'
  const server = new GrpcServer()
  server.addService(
    { Subscribe: SUBSCRIBE },
    {
      Subscribe: (stream: ServerDuplexStream<object, object>) =>
        stream.emit('error', { code: status.INTERNAL, details: `no such token: ${token}` }),
    },
  )
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  onTestFinished(() => server.forceShutdown())
  const lines = await found({
    FEED: 'yellowstone',
    YELLOWSTONE_URL: `http://127.0.0.1:${port}`,
    YELLOWSTONE_TOKEN: token,
  })
  expect(lines.join()).toMatch(/^bad yellowstone: .*no such token: …/)
})

test('gateways of IPFS are asked where texts are fetched, and each says what it answered', async () => {
  const gateway = async (code: number, headers = {}) => {
    const server = createServer((_, response) => response.writeHead(code, headers).end())
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${await listening(server)}`
  }
  const sunset = { 'retry-after': '900', sunset: 'Mon, 21 Sep 2026 00:00:00 GMT' }
  const gateways = [
    ...[await gateway(200), await gateway(301, { location: '/x' }), await gateway(403)],
    ...[await gateway(429), await gateway(429, sunset), await gateway(502)],
    ...['http://127.0.0.1:1', 'https://ipfs.io'],
  ]
  const config = { ...readConfig([], { FEED: 'sim' }), metadata: { gateways } }
  const findings = await checkLiveFeeds(config)
  expect(findings.map(({ level, about, says }) => `${level} ${about}: ${says}`)).toEqual([
    expect.stringMatching(/^good ipfs gateway: 127\.0\.0\.1:\d+ answers 200\.$/),
    expect.stringMatching(/^good ipfs gateway: .* answers 301\.$/),
    expect.stringMatching(/^good ipfs gateway: .* answers 403: it serves content of its own only/),
    expect.stringMatching(/^warn ipfs gateway: .* answers 429: it is asked too often/),
    expect.stringMatching(/^warn ipfs gateway: .* answers 429, and that it is switched off/),
    expect.stringMatching(/^warn ipfs gateway: .* answers 502: name another in IPFS_GATEWAYS/),
    expect.stringMatching(/^warn ipfs gateway: .* does not answer \(.*\): name another/),
    'warn ipfs gateway: ipfs.io was switched off: name another in IPFS_GATEWAYS.',
  ])
  expect(await checkLiveFeeds(readConfig([], { FEED: 'sim' }))).toEqual([])
})
