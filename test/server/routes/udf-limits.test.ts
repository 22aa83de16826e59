import { afterAll, beforeAll, expect, test } from 'vitest'
import { EngineServer } from '../engine-server.ts'
import { born } from '../told-events.ts'

let service: EngineServer
beforeAll(async () => {
  service = await EngineServer.start()
  service.feed(Array.from({ length: 60 }, (_, i) => born(`mint-${i}`, { txIndex: i })))
})
afterAll(() => service.server.stop())

/** As openapi.json has it. */
test.each([
  ['', 30],
  ['&limit=1', 1],
  ['&limit=50', 50],
])('a search of a chart%s finds %i symbols of sixty', async (limit, found) => {
  expect(await service.json(`/udf/search?query=sym${limit}`)).toHaveLength(found)
})

test.each(['0', '51', 'x', ''])(
  'a search of a chart for limit=%s is refused, also with nothing typed yet',
  async (limit) => {
    for (const query of ['query=sym', 'query=', 'query=sym&type=stock'])
      expect(await service.json(`/udf/search?${query}&limit=${limit}`)).toEqual({
        s: 'error',
        errmsg: `limit came as "${limit}", an integer from 1 to 50 is allowed.`,
      })
  },
)
