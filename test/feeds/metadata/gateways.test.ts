import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import {
  FetchQueue,
  isRetired,
  paceOf,
  QUEUE_LIMITS,
  type RunningFetch,
} from '../../../src/feeds/metadata/fetch-queue.ts'
import { refusal } from '../../../src/feeds/metadata/safe-fetch.ts'

const CID = 'QmNXRiSFc83i6ZJvS56kBobFpj7bUAN2b7mRE18tpiSpZe'
const BASE32 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const RETIRED = ['ipfs.io', 'dweb.link', 'w3s.link', 'cf-ipfs.com', 'cloudflare-ipfs.com']

const gateways = readConfig([], { METADATA: 'on' }).metadata?.gateways ?? []

function content(index: number): string {
  return `ipfs://${CID.slice(0, -4)}${String(index).padStart(4, '1')}`
}

/** Turns that may begin at a time, as long as none ends. */
function takeAll(queue: FetchQueue, nowMs: number): RunningFetch[] {
  const turns: RunningFetch[] = []
  for (let turn = queue.take(nowMs); turn !== null; turn = queue.take(nowMs)) turns.push(turn)
  return turns
}

test('no gateway of the defaults was switched off, and each has a limit of its own', () => {
  expect(gateways.length).toBeGreaterThan(2)
  for (const gateway of gateways) {
    const { host } = new URL(gateway)
    expect(isRetired(host)).toBe(false)
    expect(paceOf(host)).not.toEqual(paceOf('any.host'))
  }
  for (const host of RETIRED) {
    expect(isRetired(host)).toBe(true)
    expect(isRetired(`${BASE32}.ipfs.${host}`)).toBe(true)
  }
  expect(isRetired('notipfs.io')).toBe(false)
})

test.each(RETIRED)('content that is named through %s is asked for at the first gateway', (host) => {
  for (const uri of [
    `https://${host}/ipfs/${BASE32}/1.json`,
    `https://${BASE32}.ipfs.${host}/1.json`,
  ]) {
    const queue = new FetchQueue(gateways)
    queue.add('mint', uri, 0)
    expect(queue.take(0)?.url).toBe(`${gateways[0]}/ipfs/${BASE32}/1.json`)
    expect(new FetchQueue(gateways).liveLink(uri, 0)).toBe(`${gateways[0]}/ipfs/${BASE32}/1.json`)
  }
})

test('a link that is none to content of IPFS, or would grow too long, stays as it is', () => {
  const long = `ipfs://${CID}/${'x'.repeat(455)}`
  for (const link of ['https://a.example/toad.png', 'https://ipfs.io/blog', 'ipfs://x', long])
    expect(new FetchQueue(gateways).liveLink(link, 0)).toBe(link)
})

test('the first gateway is asked three times a second at most, what is more goes to the others', () => {
  const queue = new FetchQueue(gateways)
  let taken = 0
  for (let second = 0; second < 20; second++) {
    for (let one = 0; one < 8; one++) queue.add(`m${second}/${one}`, content(second * 8 + one), 0)
    for (let tenth = 0; tenth < 10; tenth++)
      for (const turn of takeAll(queue, second * 1_000 + tenth * 100)) {
        if (turn.host === 'ipfs.filebase.io') taken++
        queue.settle(turn, null, second * 1_000 + tenth * 100)
      }
  }
  // What may come at once, and 3 a second from then on.
  expect(taken).toBeLessThanOrEqual(3 + 3 * 20)
  expect(taken).toBeGreaterThan(3 * 18)
})

test('a gateway that says it is switched off is put aside for an hour, pictures too', () => {
  const queue = new FetchQueue(['https://old.test', 'https://new.test'])
  queue.add('a', content(1), 0)
  const [turn] = takeAll(queue, 0)
  expect(turn.host).toBe('old.test')
  queue.settle(turn, { ...refusal('status', false), isSunset: true, retryAfterMs: 900_000 }, 0)
  expect([queue.gatewaysAside(0), queue.sunsets]).toEqual([1, 1])
  queue.add('b', content(2), 0)
  queue.add('c', content(3), 0)
  expect(takeAll(queue, 1).map(({ host }) => host)).toEqual(['new.test', 'new.test'])
  expect(queue.liveLink(`ipfs://${CID}`, 1)).toBe(`https://new.test/ipfs/${CID}`)
  expect(queue.liveLink(`ipfs://${CID}`, QUEUE_LIMITS.sunsetMs)).toBe(
    `https://old.test/ipfs/${CID}`,
  )
  expect(queue.gatewaysAside(QUEUE_LIMITS.sunsetMs)).toBe(0)
})

test('where all gateways are put aside their content waits, and pictures lead to the first one', () => {
  const queue = new FetchQueue(['https://old.test'])
  queue.add('a', content(1), 0)
  const [turn] = takeAll(queue, 0)
  queue.settle(turn, { ...refusal('status', false), retryAfterMs: 60_000 }, 0)
  expect(takeAll(queue, 59_999)).toEqual([])
  expect(queue.liveLink(`ipfs://${CID}`, 1)).toBe(`https://old.test/ipfs/${CID}`)
  expect(takeAll(queue, 60_000)).toHaveLength(1)
})
