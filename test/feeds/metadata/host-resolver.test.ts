import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { dnsResolver } from '../../../src/base/public-address.ts'

const TYPE_A = 1
const TYPE_AAAA = 28
const NAME_UNKNOWN = 3

/** The question of a DNS message: its bytes, the name and the type asked for. */
function questionOf(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]; length > 0; length = message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    bytes: message.subarray(12, at + 5),
    name: labels.join('.'),
    type: message.readUInt16BE(at + 1),
  }
}

/** An answer with these addresses, as raw bytes; none: the name is unknown. */
function answerTo(message: Buffer, addresses: readonly Buffer[]): Buffer {
  const { bytes, type } = questionOf(message)
  const head = Buffer.alloc(12)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (addresses.length === 0 ? NAME_UNKNOWN : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(address.length, 10)
    return Buffer.concat([record, address])
  })
  return Buffer.concat([head, bytes, ...records])
}

test('names are asked at the name servers, both kinds of addresses, and not in the hosts file', async () => {
  const server = createSocket('udp4')
  const asked: string[] = []
  server.on('message', (message, { address, port }) => {
    const { name, type } = questionOf(message)
    asked.push(`${name} ${type}`)
    const v4 = type === TYPE_A ? [Buffer.from([127, 0, 0, 1]), Buffer.from([93, 184, 215, 14])] : []
    const v6 = type === TYPE_AAAA ? [Buffer.from(`${'0'.repeat(31)}1`, 'hex')] : []
    const found = name === 'a.hosts.test' ? [...v4, ...v6] : []
    server.send(answerTo(message, found), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const resolve = dnsResolver([`127.0.0.1:${server.address().port}`])
  expect([...(await resolve('a.hosts.test'))].sort()).toEqual(['127.0.0.1', '93.184.215.14', '::1'])
  expect(await resolve('localhost')).toEqual([])
  expect(asked).toEqual(
    expect.arrayContaining(['a.hosts.test 1', 'a.hosts.test 28', 'localhost 1']),
  )
  server.close()
})
