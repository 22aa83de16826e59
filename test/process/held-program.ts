/**
 * The program whose recovery begins when something comes on its standard input, and whose admin port, the
 * last that a stop closes, is open until something comes again.
 */
import { once } from 'node:events'
import { Server } from 'node:http'
import { Durability } from '../../src/app/durability.ts'

const { open } = Durability
let again: Promise<unknown> | null = null
Durability.open = async (options) => {
  await once(process.stdin, 'data')
  again = once(process.stdin, 'data')
  return open(options)
}
const { close } = Server.prototype
Server.prototype.close = function (done) {
  void again?.then(() => close.call(this, done))
  return this
}
await import('../../src/main.ts')
