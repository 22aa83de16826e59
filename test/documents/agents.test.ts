import { expect, test } from 'vitest'
import { SHOWN } from '../../src/mcp/tool-forms.ts'
import { ANSWER_BYTES_MAX, LINKS_MAX } from '../../src/mcp/tool-result.ts'
import { startProgram } from '../process/program.ts'
import { agentsMarkdown, MADE_FROM } from './agents.ts'
import { declaredNumbers } from './declared-numbers.ts'
import { documentText } from './readme.ts'
import { RECORDED } from './recorded-program.ts'

const text = documentText('docs/agents.md')
const flat = text.replaceAll(/\s+/g, ' ')

test('docs/agents.md prints what a service with the recording answers', async () => {
  const program = await startProgram(RECORDED)
  await program.seen(/"msg":"feed ended"/)
  const [, printed = ''] = text.split(MADE_FROM)
  expect(MADE_FROM + printed).toBe(await agentsMarkdown(program.url))
  expect(printed.match(/^### \d+\. /gm)).toHaveLength(10)
  expect(await program.end('SIGTERM')).toBe(0)
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
