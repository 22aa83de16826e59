import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ensure, same, skipUnless, steady } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { type Answer, header, jsonHeaders, tablePath } from '../http.ts'
import { searchPath, strangerMint, swapsPath } from '../paths.ts'
import { reads } from './http-rules.ts'

const test = about('caching and encoding')

const nothing = searchPath(strangerMint)

const open: Record<string, (body: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
}

const varies = (answer: Answer): string[] =>
  header(answer, 'vary')
    .toLowerCase()
    .split(/\s*,\s*/)

/** A body worth compressing that does not move. */
async function large(world: World): Promise<string> {
  return swapsPath((await world.known()).quiet.mint, 'limit=200')
}

async function checkEncoding(world: World, coding: string): Promise<void> {
  const path = await large(world)
  const plain = await world.http.ask(path, { headers: { 'accept-encoding': 'identity' } })
  same(header(plain, 'content-encoding'), '', 'the encoding of a plain answer')
  skipUnless(plain.body.length > 2000, 'no body worth compressing')
  const packed = await world.http.ask(path, { headers: { 'accept-encoding': coding } })
  same(header(packed, 'content-encoding'), coding, 'the encoding')
  ensure(packed.body.length < plain.body.length, 'the encoded body is not smaller')
  same(open[coding](packed.body).toString('utf8'), plain.text, 'the decoded body')
  for (const answer of [plain, packed]) {
    ensure(varies(answer).includes('accept-encoding'), `Vary is ${header(answer, 'vary')}`)
  }
}

async function status(world: World, path: string, tag: string): Promise<Answer> {
  return world.http.ask(path, { headers: { 'if-none-match': tag } })
}

const encodingCases = ['gzip', 'br'].map((coding) =>
  test(`${coding} decodes to the plain answer, which varies`, async (world) => {
    await steady(() => checkEncoding(world, coding))
  }),
)

export const cachingCases: Case[] = [
  ...encodingCases,
  test('encodings that are refused or unknown are not used', async (world) => {
    for (const accept of ['gzip;q=0, br;q=0', 'zstd-unknown', 'identity']) {
      const how = { headers: { 'accept-encoding': accept } }
      const answer = await world.http.ask(await large(world), how)
      same(header(answer, 'content-encoding'), '', `the encoding for ${accept}`)
    }
  }),
  test('a table answer is encoded when asked', async ({ http }) => {
    const headers = { ...jsonHeaders, 'accept-encoding': 'gzip' }
    const answer = await http.ask(tablePath, { method: 'POST', headers, body: '{"limit":200}' })
    same(header(answer, 'content-encoding'), 'gzip', 'the encoding')
    ensure(gunzipSync(answer.body).toString('utf8').startsWith('{'), 'no JSON inside')
  }),
  test('GET answers carry an ETag', async (world) => {
    for (const path of await reads(world)) {
      const tag = header(await world.http.ask(path), 'etag')
      ensure(/^(W\/)?"[^"]+"$/.test(tag), `${path}: ETag ${tag}`)
    }
  }),
  test('the same ETag back is a 304 without a body', async (world) => {
    for (const path of [nothing, await large(world)]) {
      await steady(async () => {
        const tag = header(await world.http.ask(path), 'etag')
        const answer = await status(world, path, tag)
        same([answer.status, answer.body.length], [304, 0], `${path}: status and bytes`)
        same(header(answer, 'etag').replace('W/', ''), tag.replace('W/', ''), `${path}: ETag`)
      })
    }
  }),
  test('lists, weak tags and the star match too', async ({ http, ...world }) => {
    const tag = header(await http.ask(nothing), 'etag')
    const weak = tag.startsWith('W/') ? tag : `W/${tag}`
    for (const tags of [`"other", ${tag}`, weak, '*']) {
      same((await status({ http, ...world }, nothing, tags)).status, 304, `If-None-Match: ${tags}`)
    }
  }),
  test('another ETag is a 200 with the body', async (world) => {
    const answer = await status(world, nothing, '"other"')
    same([answer.status, answer.text], [200, '[]'], 'status and body')
  }),
  test('the table query has no ETag and no 304', async ({ http }) => {
    const headers = { ...jsonHeaders, 'if-none-match': '*' }
    const answer = await http.ask(tablePath, { method: 'POST', headers, body: '{}' })
    same([answer.status, header(answer, 'etag')], [200, ''], 'status and ETag')
  }),
]
