/**
 * Live connections in a process of their own, each following mints, that all go in one moment: by a
 * reset when told to, or with the process. Arguments: port, how many.
 */
import { openLive } from './raw-sockets.ts'

/** Mints that there are, and that one connection follows. */
const MINTS = 200
const FOLLOWED = 20

const [, , port, count] = process.argv
const mints = Array.from({ length: MINTS }, (_, index) => `crowd${index}`.padEnd(44, 'x'))
const sockets = await openLive(Number(port), Number(count), (index) => {
  const from = index % (MINTS - FOLLOWED)
  return { id: `c${index}`, mints: mints.slice(from, from + FOLLOWED) }
})
for (const socket of sockets) socket.resume()
process.send?.(sockets.length)
process.on('message', () => {
  for (const socket of sockets) socket.resetAndDestroy()
})
process.on('disconnect', () => process.exit())
