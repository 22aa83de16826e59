import { afterAll, beforeAll, expect, test } from 'vitest'
import { ATTACKS, Siege } from './siege.ts'

/** Of each; `make attacks` runs them at full size and length. */
const DURATION_MS = 200
/** Nothing of small size may cost more than this; what grows without bound costs gigabytes. */
const MEMORY_BYTES_MAX = 200 * 2 ** 20

let siege: Siege
beforeAll(async () => {
  siege = await Siege.begin(100, 200)
})
afterAll(async () => {
  expect(await siege.end(), siege.lastLines).toBe(0)
})

test.each(ATTACKS.map((attack) => [attack.name, attack] as const))(
  '%s: nobody else is refused, memory stays bounded, the process lives',
  async (_name, attack) => {
    const { memoryBytes, during } = await siege.attack(attack, attack.sizes.small, DURATION_MS)
    expect(during.failures).toEqual([])
    expect(memoryBytes).toBeLessThan(MEMORY_BYTES_MAX)
    expect(siege.defects).toEqual([])
  },
)
