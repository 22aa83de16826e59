import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTING_NAMES } from '../../src/config/config.ts'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { natsServer } from './nats-binary.ts'

const server = natsServer('cluster')
const textOf = (name: string) => readFileSync(join(ROOT, 'packaging', name), 'utf8')

test.skipIf(server === null)('nats-server takes the configurations of packaging', () => {
  const compose = /^ {4}content: \|\n((?: {6}.*\n)+)/m.exec(textOf('compose.yml'))?.[1] ?? ''
  // What compose does with it, and the container's own variable.
  const composed = compose.replace(/(?<!\$)\$\{\w+\}/g, 'letters1').replaceAll('$$', '$')
  for (const text of [textOf('nats-server.conf'), composed]) {
    expect(text).toContain('sync_interval: always')
    const conf = join(newFolder(), 'conf')
    writeFileSync(conf, text)
    const env = { HOSTNAME: 'nats-1' }
    const { status, stderr } = spawnSync(server ?? '', ['-t', '-c', conf], {
      env,
      encoding: 'utf8',
    })
    expect(stderr).toContain('is valid')
    expect(status).toBe(0)
  }
})

test('compose file, units and the document of more machines set what is a setting', () => {
  const texts = [
    textOf('compose.yml'),
    textOf('mintfeed-replica.conf'),
    readFileSync(join(ROOT, 'docs/scale-out.md'), 'utf8'),
  ]
  const setting = /(?:^ +|^Environment=|[{,] )([A-Z][A-Z_]+)(?:: |=)/gm
  const names = texts.map((text) => [...text.matchAll(setting)].map(([, name]) => name))
  expect(names[0]).toEqual(
    expect.arrayContaining(['NATS_URL', 'SEED_URL', 'NATS_REPLICAS', 'FEED']),
  )
  expect(names[1]).toEqual(['FEED'])
  expect(names[2]).toEqual(expect.arrayContaining(['NATS_URL', 'ADMIN_TOKEN', 'YELLOWSTONE_URL']))
  const known: readonly string[] = SETTING_NAMES
  expect(names.flat().filter((name) => !known.includes(name ?? ''))).toEqual([])
})

test('the unit of a sequencer is that of the service, but for what it starts and where it writes', () => {
  const linesOf = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'))
  const service = linesOf(textOf('mintfeed.service'))
  const sequencer = linesOf(textOf('mintfeed-sequence.service'))
  const own = sequencer.filter((line) => !service.includes(line))
  expect(own.map((line) => line.replace(/=.*/, ''))).toEqual(OWN_LINES)
  const left = service.filter((line) => !sequencer.includes(line))
  expect(left.map((line) => line.replace(/=.*/, ''))).toEqual([
    ...OWN_LINES.slice(0, -1),
    'ExecStartPre',
    'ExecStart',
    'ExecReload',
  ])
  const start = service.find((line) => line.startsWith('ExecStart='))
  expect(own.at(-1)).toBe(`${start} sequence`)
})

const OWN_LINES = [
  ...['Description', 'After', 'StateDirectory', 'Environment', 'EnvironmentFile', 'ExecStart'],
]
