import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { jsonOf } from '../../src/base/json-access.ts'
import { SETTING_DEFAULTS } from '../../src/config/config.ts'
import { SHOWN } from '../../src/mcp/tool-forms.ts'
import { ANSWER_BYTES_MAX, LINKS_MAX } from '../../src/mcp/tool-result.ts'
import { startProgram } from '../process/program.ts'
import { agentsMarkdown, MADE_FROM } from './agents.ts'
import { declaredNumbers } from './declared-numbers.ts'
import { documentText } from './readme.ts'
import { RECORDED } from './recorded-program.ts'

const text = documentText('docs/agents.md')
const hasCurl = spawnSync('curl', ['--version']).error === undefined
if (!hasCurl) console.log('There is no curl here: the command of docs/agents.md is not run.')
const THREE_ROWS = { result: { structuredContent: { new: [{}, {}, {}] } } }

/** What the command of the document prints of a service at an address. */
function curled(url: string): unknown {
  const [, command = ''] = /```sh\n(curl [^`]+)```/.exec(text) ?? []
  const here = command.replace('http://127.0.0.1:8080', url)
  return jsonOf(spawnSync('sh', ['-c', here], { encoding: 'utf8' }).stdout)
}

const flat = text.replaceAll(/\s+/g, ' ')

test('docs/agents.md prints what a service with the recording answers', async () => {
  const program = await startProgram(RECORDED)
  await program.seen(/"msg":"feed ended"/)
  const [, printed = ''] = text.split(MADE_FROM)
  expect(MADE_FROM + printed).toBe(await agentsMarkdown(program.url))
  expect(printed.match(/^### \d+\. /gm)).toHaveLength(10)
  if (hasCurl) expect(curled(program.url)).toMatchObject(THREE_ROWS)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('docs/agents.md has settings of clients that are JSON, with the path and the command there are', () => {
  const blocks = [...text.matchAll(/```json\n([^`]+)```/g)].map(([, json = '']) => jsonOf(json))
  expect(blocks).toEqual([
    { mcpServers: { mintfeed: { type: 'http', url: 'http://127.0.0.1:8080/mcp' } } },
    {
      mcpServers: {
        mintfeed: {
          command: 'node',
          args: [
            '/path/to/mintfeed/bin/mintfeed.js',
            'mcp',
            '--url',
            `http://127.0.0.1:${SETTING_DEFAULTS.PORT}`,
          ],
        },
      },
    },
  ])
})

test('docs/agents.md has the limits of the code', () => {
  const { limit, countback } = SHOWN
  const server = declaredNumbers('src/server')
  for (const sentence of [
    `${limit.default} rows by default and ${limit.maximum} at most`,
    `${countback.default} and ${countback.maximum} bars`,
    `${ANSWER_BYTES_MAX / 1024} KiB`,
    `at most ${LINKS_MAX} links`,
    `${server('MAX_AGENT_MESSAGES').toLocaleString('en')} messages, ${server('MAX_AGENT_MESSAGES_PER_ADDRESS')} of one client`,
  ])
    expect(flat).toContain(sentence)
})
