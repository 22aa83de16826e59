import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { HAS_OPENSSL, makeCertificate } from '../server/certificates.ts'
import { ROOT } from '../tidy/source-files.ts'
import { startProgram, until } from './program.ts'

const fromDocs = (name: string) => readFileSync(join(ROOT, 'docs/monitoring', name), 'utf8')

/** Metrics that a text of Prometheus queries names. */
const namesIn = (text: string) => [...new Set(text.match(/mintfeed_[a-z0-9_]+/g))]

test.skipIf(!HAS_OPENSSL)(
  'every metric that the dashboard and the alerts ask for is one that the program has',
  async () => {
    const { certFile, keyFile } = makeCertificate('monitored')
    // There are figures of alerts where there are rules.
    const rules = join(newFolder(), 'rules.json')
    const rule = { id: 'migrations', when: { kind: 'migration' }, to: { live: true } }
    writeFileSync(rules, JSON.stringify({ rules: [rule] }))
    const program = await startProgram({
      ALERTS_FILE: rules,
      SIM_TOKENS: '20',
      DATA_DIR: newFolder(),
      TLS_CERT: certFile,
      TLS_KEY: keyFile,
      ADMIN_PORT: '0',
      LOG_LEVEL: 'info',
    })
    // A test that fails half-way leaves nothing running.
    onTestFinished(() => void program.end('SIGKILL'))
    await new Promise((resolve, reject) => {
      get(`${program.url}/healthz`, { rejectUnauthorized: false }, resolve).on('error', reject)
    })
    const line = await program.seen(/admin surface/)
    const port = /"port":(\d+)/.exec(line)?.[1]
    const metrics = await until('metrics', async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return text.includes('mintfeed_swaps_folded_total') ? text : null
    })
    const asked = namesIn(fromDocs('grafana-dashboard.json') + fromDocs('prometheus-alerts.yml'))
    expect(asked.length).toBeGreaterThan(40)
    expect(asked.filter((name) => !metrics.includes(name))).toEqual([])
    // Of a counter that begins with its first count no growth is seen: what an alert waits for is there at 0.
    const counters = namesIn(
      fromDocs('prometheus-alerts.yml')
        .match(/increase\([^)]*/g)
        ?.join() ?? '',
    )
    expect(counters.length).toBeGreaterThan(2)
    expect(counters.filter((name) => !metrics.includes(`\n${name} 0\n`))).toEqual([])
    expect(await program.end('SIGTERM')).toBe(0)
  },
)

test('the dashboard is JSON, each panel has its own place, and alerts are explained in the docs', () => {
  const { panels } = JSON.parse(fromDocs('grafana-dashboard.json')) as {
    panels: { id: number; gridPos: { x: number; y: number } }[]
  }
  const places = panels.map(({ gridPos }) => `${gridPos.x},${gridPos.y}`)
  expect(new Set(places).size).toBe(panels.length)
  const alerts = [...fromDocs('prometheus-alerts.yml').matchAll(/- alert: (\w+)/g)].map((m) => m[1])
  expect(alerts.length).toBeGreaterThan(10)
  const explained = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8')
  expect(alerts.filter((alert) => !explained.includes(alert))).toEqual([])
})

test('the alert of an old snapshot leaves time to one that has just come due', () => {
  // With SNAPSHOT_EVERY=1h, which the docs name, the first begins when the alert's hour is over; and after
  // a quiet hour the first event makes the last one old at once, by five minutes before the next.
  const rule = fromDocs('prometheus-alerts.yml')
    .split('- alert: ')
    .find((text) => text.startsWith('MintfeedSnapshotOld\n'))
  expect(rule).toContain('mintfeed_snapshot_age_seconds > 3600')
  expect(Number(/^ +for: (\d+)m$/m.exec(rule ?? '')?.[1])).toBeGreaterThan(5)
})
