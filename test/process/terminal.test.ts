import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { launch, type Settings } from './program.ts'

const CTRL_C = '\x03'
const WITHIN_MS = 180_000
const ESCAPE = '\u001b'
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g')
/** What a terminal takes away of a line before more is written to it, as a bar that is drawn over and over. */
const CLEARED = new RegExp(`[^\\n]*\\r${ESCAPE}\\[K`, 'g')
const HEAD = /^\d\d:\d\d:\d\d \S/
const BELOW = /^ {9}\S/
const hasScript = spawnSync('script', ['--version']).error === undefined
if (!hasScript) console.log('There is no script here: tests of the log at a terminal are skipped.')
const atTerminal = test.skipIf(!hasScript)

/** What a program shows at a terminal of its own from its start until Ctrl-C, once it says where it is, has ended it. */
async function shownBy(settings: Settings): Promise<{ code: unknown; text: string }> {
  const command = `exec '${process.execPath}' '${programPath()}'`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', PORT: '0', ...settings },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  let text = ''
  let hasEnded = false
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    // Once: a second one ends it at once.
    if (!hasEnded && /feed ended/.test(text)) {
      hasEnded = true
      child.stdin.write(CTRL_C)
    }
  })
  const [code] = await ended
  return { code, text }
}

/** As they stand on the screen, without colours and what it shows of Ctrl-C. */
function linesOf(text: string): readonly string[] {
  const seen = text.replaceAll(CLEARED, '').replaceAll(COLOUR, '').replaceAll('^C', '')
  return seen.split(/\r*\n/).filter((line) => line !== '')
}

atTerminal(
  'at a terminal a message is one line or two, the url stands out, and the last line says what was kept',
  async () => {
    const DATA_DIR = newFolder()
    const FEED = `replay:${join(ROOT, 'package.json')}`
    const { code, text } = await shownBy({ DATA_DIR, FEED })
    expect(code).toBe(0)
    expect(text).toContain(`${ESCAPE}[1;4;36mhttp://127.0.0.1:`)
    const lines = linesOf(text)
    expect(lines.filter((line) => !HEAD.test(line) && !BELOW.test(line))).toEqual([])
    expect(lines.filter((line, i) => BELOW.test(line) && !HEAD.test(lines[i - 1] ?? ''))).toEqual(
      [],
    )
    expect(lines.some((line) => / warning: This feed has ended without an event/.test(line))).toBe(
      true,
    )
    expect(lines.at(-1)).toMatch(/^\d\d:\d\d:\d\d stopped: no event has come to /)
  },
  WITHIN_MS,
)

atTerminal(
  'with LOG_FORMAT=json a terminal shows whole lines of JSON, and without colours none',
  async () => {
    const settings = { DATA_DIR: 'none', FEED: `replay:${join(ROOT, 'package.json')}` }
    const json = await shownBy({ ...settings, LOG_FORMAT: 'json' })
    for (const line of linesOf(json.text)) expect(() => JSON.parse(line)).not.toThrow()
    expect(json.text).toContain('"msg":"ready"')
    const plain = await shownBy({ ...settings, NO_COLOR: '1' })
    expect(plain.text).not.toMatch(COLOUR)
    expect(plain.text).toContain('stopped: nothing is kept')
  },
  WITHIN_MS,
)

test('where nobody looks on lines are JSON to the last, and with LOG_FORMAT=text they are text', async () => {
  const settings = { PORT: '0', FEED: 'none', DATA_DIR: newFolder() }
  const json = launch(settings)
  await json.seen(/"msg":"ready"/)
  expect(await json.end('SIGTERM')).toBe(0)
  expect(JSON.parse(json.lines.at(-1) ?? '')).toMatchObject({
    ...{ level: 30, msg: 'stopped', seq: 0, snapshotSeq: 0 },
    kept: expect.stringContaining('no event has come to '),
  })
  const text = launch({ ...settings, LOG_FORMAT: 'text' })
  await text.seen(/^ {9}http:\/\/127\.0\.0\.1:\d+ {2}live feed: ws:/)
  expect(await text.end('SIGTERM')).toBe(0)
  expect(text.lines.filter((line) => line.includes('{') || line.includes(ESCAPE))).toEqual([])
})
