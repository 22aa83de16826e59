import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressesOf, ipfsContentOf } from '../../../src/feeds/metadata/fetch-queue.ts'
import { isNestedDeeper, readTokenTexts } from '../../../src/feeds/metadata/token-texts.ts'

const CID = 'QmNXRiSFc83i6ZJvS56kBobFpj7bUAN2b7mRE18tpiSpZe'

function texts(value: unknown) {
  return readTokenTexts(JSON.stringify(value))
}

test('texts and links of a token as launchers write them', () => {
  expect(
    texts({
      name: 'Toad',
      symbol: 'TOAD',
      description: 'A toad.\nAngry.',
      image: `ipfs://${CID}`,
      showName: true,
      createdOn: 'https://pump.fun',
      twitter: ' https://x.com/toad/status/1 ',
      telegram: 'https://t.me/toad',
      website: 'https://toad.example/?a=1#b',
    }),
  ).toEqual({
    description: 'A toad. Angry.',
    image: `ipfs://${CID}`,
    twitter: 'https://x.com/toad/status/1',
    telegram: 'https://t.me/toad',
    website: 'https://toad.example/?a=1#b',
  })
})

test('of links without a scheme those to X and Telegram are meant as https, and no others', () => {
  expect(
    texts({ twitter: 'x.com/toad', telegram: ' T.me/toad', website: 'toad.example/' }),
  ).toEqual({
    twitter: 'https://x.com/toad',
    telegram: 'https://T.me/toad',
  })
  expect(texts({ twitter: 'twitter.com/toad', website: 'x.com.evil.example/' })).toEqual({
    twitter: 'https://twitter.com/toad',
  })
})

test('a Discord link among the others is the Discord link', () => {
  expect(texts({ website: 'https://discord.gg/abc' })).toEqual({
    discord: 'https://discord.gg/abc',
  })
  expect(texts({ telegram: 'https://www.discord.com/invite/x', website: 'https://a.b' })).toEqual({
    discord: 'https://www.discord.com/invite/x',
    website: 'https://a.b',
  })
  expect(texts({ discord: 'https://discord.gg/own', website: 'https://discord.gg/other' })).toEqual(
    {
      discord: 'https://discord.gg/own',
    },
  )
})

test('links that are no links, too long or disguised are left out', () => {
  const bad = ['javascript:alert(1)', 'data:text/html,x', '@toad', 'x.org/toad', '', 'https://']
  const disguised = ['https://a.b/\u202egpj.exe', 'https://a.b/ c', 'https://a.b/\u0000']
  for (const twitter of [
    ...bad,
    ...disguised,
    `https://a.b/${'x'.repeat(512)}`,
    7,
    null,
    {},
    ['https://a.b'],
  ])
    expect(texts({ twitter })).toEqual({})
})

test('a description loses what is invisible or turns reading around, and its end when it is long', () => {
  expect(texts({ description: 'a\u0000b\u202ec\u2066d\u001b[31m' })).toEqual({
    description: 'abcd[31m',
  })
  expect(texts({ description: '👍🏽'.repeat(2_000) })).toEqual({
    description: '👍🏽'.repeat(1_024),
  })
  expect(texts({ description: '\n \u202e' })).toEqual({})
})

test('what is drawn without a width goes from descriptions and links, what emoji are made of stays', () => {
  const unseen = '\u200b\u200c\u200d\u00ad\u2060\u3164\u{e0041}\u{e01ef}\ufe0f\ufe0e\u180e'
  const emoji = '👨🏽‍⚕️ 🏳️‍🌈 👁️‍🗨️ 1️⃣ ☎︎ ❤️'
  expect(texts({ description: `To${unseen}ad ${emoji}${unseen} x` })).toEqual({
    description: `Toad ${emoji} x`,
  })
  expect(texts({ description: unseen })).toEqual({})
  expect(texts({ twitter: `https://x.com/to${unseen}ad${unseen}`, website: unseen })).toEqual({
    twitter: 'https://x.com/toad',
  })
})

test('a byte order mark before the JSON is none of it', () => {
  expect(readTokenTexts('\ufeff{"website":"https://a.b/"}')).toEqual({ website: 'https://a.b/' })
})

test('keys that mean something to the language mean nothing here', () => {
  const json = `{"__proto__":{"image":"https://a.b/p"},"constructor":{"prototype":{"x":1}},
    "twitter":"https://x.com/a","hasOwnProperty":1,"toString":"https://a.b"}`
  expect(readTokenTexts(json)).toEqual({ twitter: 'https://x.com/a' })
  expect(Object.keys(readTokenTexts('{"__proto__":{"description":"x"}}'))).toEqual([])
  expect('image' in {}).toBe(false)
})

test('10,000 levels are refused before they are parsed, brackets in text are none', () => {
  for (const open of ['[', '{"a":'])
    expect(readTokenTexts(open.repeat(10_000))).toEqual({ refused: 'depth', isFinal: true })
  const description = '[{"'.repeat(600)
  expect(texts({ description })).toEqual({ description })
})

test('what is no JSON object is refused', () => {
  for (const json of ['', 'x', '[]', '"a"', 'null', '7', '{"a":', '<html>'])
    expect(readTokenTexts(json)).toEqual({ refused: 'json', isFinal: true })
})

test('the depth is that of the value', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
      : 0
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => {
      const depth = depthOf(value)
      const json = JSON.stringify(value)
      expect(isNestedDeeper(json, depth)).toBe(false)
      if (depth > 0) expect(isNestedDeeper(json, depth - 1)).toBe(true)
    }),
  )
})

test('any text gives texts or a refusal', () => {
  const text = fc.oneof(fc.json({ maxDepth: 3 }), fc.string())
  fc.assert(
    fc.property(text, (json) => {
      const read = readTokenTexts(json)
      for (const key of Object.keys(read)) expect(['refused', 'isFinal']).toContain(key)
    }),
  )
})

test('content of IPFS is asked for at the own gateways, however its uri is written', () => {
  const gateways = ['https://one.test', 'https://two.test']
  for (const uri of [
    `ipfs://${CID}`,
    `ipfs://ipfs/${CID}`,
    `https://cf-ipfs.com/ipfs/${CID}`,
    `http://127.0.0.1:8080/ipfs/${CID}`,
    ` https://ipfs.io/ipfs/${CID}?x=1`,
  ]) {
    expect(ipfsContentOf(uri), uri).toBe(CID)
    expect(addressesOf(uri, 1, gateways)).toEqual([
      `https://two.test/ipfs/${CID}`,
      `https://one.test/ipfs/${CID}`,
    ])
  }
  expect(ipfsContentOf(`https://x.test/ipfs/${CID}/meta.json`)).toBe(`${CID}/meta.json`)
  for (const uri of ['https://x.test/a.json', 'ipfs://short', `https://x.test/a/ipfs/${CID}`])
    expect(addressesOf(uri, 3, gateways)).toEqual([uri])
})

test('content of IPFS that is named as a host is asked for at the own gateways', () => {
  const cid = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
  for (const uri of [
    `https://${cid}.ipfs.dweb.link`,
    `https://${cid}.ipfs.dweb.link/`,
    `https://${cid.toUpperCase()}.IPFS.dweb.link/?x=1`,
    `http://${cid}.ipfs.localhost:8080#x`,
  ])
    expect(ipfsContentOf(uri), uri).toBe(cid)
  expect(ipfsContentOf(`https://${cid}.ipfs.w3s.link/a/b.json?x`)).toBe(`${cid}/a/b.json`)
  for (const uri of [
    `https://x.${cid}.ipfs.dweb.link/`,
    `https://${cid}.ipfs/`,
    'https://short.ipfs.dweb.link/',
    `https://${cid}.ipfs.dweb.link/../x`,
  ])
    expect(ipfsContentOf(uri), uri).toBeNull()
})

test('a path of IPFS content is escaped where it has to be, once', () => {
  for (const [path, escaped] of [
    ['my file.json', 'my%20file.json'],
    ['my%20file.json', 'my%20file.json'],
    ['100%.json', '100%25.json'],
    ['蛙/[1].json', '%E8%9B%99/%5B1%5D.json'],
    ['a\\..\\b', 'a%5C..%5Cb'],
    ['\ud800', '%EF%BF%BD'],
  ]) {
    expect(ipfsContentOf(`ipfs://${CID}/${path}`), path).toBe(`${CID}/${escaped}`)
    expect(ipfsContentOf(`https://x.test/ipfs/${CID}/${path}`), path).toBe(`${CID}/${escaped}`)
  }
  // Nine characters each: nothing of such a length is asked for or kept.
  expect(ipfsContentOf(`ipfs://${CID}/${'蛙'.repeat(300)}`)).toBeNull()
})

test('no uri leads out of its content to anything else that a gateway has', () => {
  const gateways = ['https://one.test']
  for (const path of ['..', '../../api/v0/id', '%2E%2e/x', 'a/.%2e/../x', './x', 'a/.']) {
    const uri = `ipfs://${CID}/${path}`
    expect(ipfsContentOf(uri), uri).toBeNull()
    expect(addressesOf(uri, 0, gateways)).toEqual([uri])
  }
  for (const path of ['..a/b', 'a../.b', '...', 'a.%2ejson']) {
    const [url] = addressesOf(`ipfs://${CID}/${path}`, 0, gateways)
    expect(new URL(url).pathname).toBe(`/ipfs/${CID}/${path}`)
  }
})
