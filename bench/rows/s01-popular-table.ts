import { popularBody, popularGroupBody } from '../bodies.ts'
import { type HttpLoad, postTables } from '../drivers/http-load.ts'
import { compareWithBare, driverCeiling, withServed } from '../http-comparison.ts'
import { type Line, ratioAtLeast } from '../line.ts'
import { HttpPeer } from '../peers/http-peer.ts'
import { Served, send } from '../served.ts'

const TOKENS = 100_000
const SWAPS_PER_SECOND = 1_000
const GOAL = ratioAtLeast(0.95)

/** S1: one popular filter polled by everybody, while swaps are folded. */
export function run(): Promise<readonly Line[]> {
  return withServed(Served.start(TOKENS, SWAPS_PER_SECOND), async (load, served) => {
    const lines: Line[] = []
    const bodies = { 'one group': popularGroupBody, 'all groups': popularBody }
    for (const [name, text] of Object.entries(bodies)) {
      const body = await send(served.port, 'POST', '/api/v2/meme', text)
      const what = `POST tables, popular filter, ${name}`
      const requests = [postTables(text)]
      lines.push(await compareWithBare(load, served, { what, requests, body, goal: GOAL }))
      if (name === 'one group') lines.push(await fastify(load, body, requests))
    }
    lines.push(await driverCeiling(load, postTables(popularGroupBody)))
    return lines
  })
}

/** What a popular framework makes of the same bytes, for the scale. */
async function fastify(load: HttpLoad, body: Buffer, requests: string[]): Promise<Line> {
  const peer = await HttpPeer.start('fastify-http.ts', body)
  try {
    await load.rate(peer, requests)
    const { perSecond, server } = await load.rate(peer, requests)
    return {
      what: `for the scale: Fastify, the same ${(body.length / 1000).toFixed(1)} KB from a Buffer`,
      unit: 'answers/s',
      ours: perSecond,
      saturated: `server ${Math.round(server.ran * 100)} %`,
    }
  } finally {
    peer.stop()
  }
}
