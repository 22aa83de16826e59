/** The program whose recovery begins when something comes on its standard input. */
import { once } from 'node:events'
import { Durability } from '../../src/durability.ts'

const { open } = Durability
Durability.open = async (options) => {
  await once(process.stdin, 'data')
  return open(options)
}
await import('../../src/main.ts')
