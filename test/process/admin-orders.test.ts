import { X509Certificate } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { STALL_MS } from '../../src/figures/event-loop-stall-monitor.ts'
import { newFolder } from '../new-folder.ts'
import { HAS_OPENSSL, makeCertificate } from '../server/certificates.ts'
import { partOf } from './data-folders.ts'
import { type Settings, startProgram, until } from './program.ts'

const line = (mint: string) => `{"type":"metadata","timestamp":1,"mint":"${mint}","image":"x"}\n`

/** A program with its admin port, and what that answers to an order. */
async function startOrdered(settings: Settings) {
  const program = await startProgram({ ADMIN_PORT: '0', LOG_LEVEL: 'info', ...settings })
  onTestFinished(() => void program.end('SIGKILL'))
  const port = /"port":(\d+)/.exec(await program.seen(/"msg":"admin surface"/))?.[1]
  const admin = `http://127.0.0.1:${port}`
  const order = async (path: string) => {
    const answer = await fetch(admin + path, { method: 'POST' })
    return [answer.status, partOf(await answer.text(), 'message')]
  }
  const metric = async (name: string) => {
    const text = await (await fetch(`${admin}/metrics`)).text()
    return Number(new RegExp(`^mintfeed_${name} (.+)$`, 'm').exec(text)?.[1])
  }
  return { program, admin, order, metric }
}

test('who orders a snapshot is told what it holds, or that it failed', async () => {
  const folder = newFolder()
  const { program, order, metric } = await startOrdered({ FEED: 'stdin', DATA_DIR: folder })
  const feed = async (mint: string, seq: number) => {
    program.child.stdin?.write(line(mint))
    await until('the event', async () => ((await metric('journal_seq')) === seq ? true : null))
  }
  await feed('A', 1)
  expect(await order('/snapshot')).toEqual([200, 'The newest snapshot holds seq 1.'])
  await feed('B', 2)
  mkdirSync(join(folder, `snapshot-${'2'.padStart(16, '0')}.mfs`))
  expect(await order('/snapshot')).toEqual([200, 'The snapshot failed; the log says why.'])
})

test('whoever asks for stalls of the loop is told that of a heap that was written down', async () => {
  const { admin } = await startOrdered({ FEED: 'none' })
  await until('a stall', async () => {
    await (await fetch(`${admin}/profiles/heap-snapshot`)).arrayBuffer()
    const stalls = (await (await fetch(`${admin}/stalls`)).json()) as { lateMs: number }[]
    return stalls.some(({ lateMs }) => lateMs > STALL_MS) ? true : null
  })
})

test.skipIf(!HAS_OPENSSL)(
  'who orders a new certificate is told until when it is good, and new connections get it',
  async () => {
    const [one, two] = [2, 30].map((days, i) =>
      makeCertificate(['one', 'two'][i], undefined, undefined, days),
    )
    const endOf = ({ certFile }: typeof one) => {
      return new X509Certificate(readFileSync(certFile)).validToDate.getTime()
    }
    const shownEnd = async () => (await metric('tls_certificate_ends_seconds')) * 1000
    const tls = { TLS_CERT: one.certFile, TLS_KEY: one.keyFile }
    const { program, order, metric } = await startOrdered({ ...tls, FEED: 'none' })
    const shown = () =>
      new Promise<string>((resolve, reject) => {
        const { port, hostname: host } = new URL(program.url)
        const socket = connect({ port: Number(port), host, rejectUnauthorized: false }, () => {
          resolve(String(socket.getPeerCertificate().subject.CN))
          socket.destroy()
        }).on('error', reject)
      })
    expect([await shown(), await shownEnd()]).toEqual(['one', endOf(one)])
    copyFileSync(two.certFile, one.certFile)
    copyFileSync(two.keyFile, one.keyFile)
    const [status, message] = await order('/tls/reload')
    expect(status).toBe(200)
    expect(message).toMatch(/^New connections get the certificate that ends \d{4}-.+Z\.$/)
    expect(Date.parse(String(message).slice(-25, -1))).toBe(endOf(two))
    expect([await shown(), await shownEnd()]).toEqual(['two', endOf(two)])
  },
)
