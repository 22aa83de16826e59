/** Fastify that answers POST with given bytes. Argument: their file. */
import { readFileSync } from 'node:fs'
import fastify from 'fastify'
import { onParent, tellParent } from '../child.ts'

const body = readFileSync(process.argv[2])

onParent(() => undefined)
const server = fastify()
server.post('/api/v2/meme', (_request, reply) => reply.type('application/json').send(body))
await server.listen({ port: 0, host: '127.0.0.1' })
const address = server.server.address()
if (typeof address === 'object' && address !== null) tellParent({ port: address.port })
