import { recordedLines } from '../../packaging/recorded-market.ts'
import { jsonOf, textAt } from '../../src/base/json-access.ts'
import { toolForms } from '../../src/mcp/tool-forms.ts'
import { agentAt, call } from '../mcp/agent.ts'

/** Where docs/agents.md begins to be made from the running service. */
export const MADE_FROM = '<!-- Below is made by "node test/documents/make-agents.ts". -->'

/** The mint of most swaps of the recording, whose first buyer is asked for too. */
function busiest(): { mint: string; wallet: string } {
  const swaps = recordedLines()
    .map(jsonOf)
    .filter((line) => textAt(line, 'type') === 'swap')
  const counts = new Map<string, number>()
  for (const line of swaps) {
    const mint = textAt(line, 'mint') ?? ''
    counts.set(mint, (counts.get(mint) ?? 0) + 1)
  }
  const [[mint = ''] = []] = [...counts].sort(([, a], [, b]) => b - a)
  const sellers = swaps.filter(
    (line) => textAt(line, 'mint') === mint && textAt(line, 'direction') === 'sell',
  )
  return { mint, wallet: textAt(sellers.at(-1), 'signer') ?? '' }
}

const { mint, wallet } = busiest()

/** What an agent may be asked, and the call that answers it. */
const QUESTIONS: readonly (readonly [question: string, tool: string, given: object])[] = [
  ['Which tokens graduated last?', 'get_table', { type: 'graduated', limit: 2 }],
  ['Is there a token with "frog" in its name?', 'search_tokens', { query: 'frog', limit: 1 }],
  ['What is known of this token, and what else did its creator make?', 'get_token', { mint }],
  [
    'How did its price move in the last hours?',
    'get_chart',
    { mint, resolution: '60', countback: 4 },
  ],
  ['Who made most of it?', 'get_traders', { mint, limit: 2 }],
  [
    'Who bought most of it?',
    'get_traders',
    { mint, order_by: 'bought_tokens', order_direction: 'desc', limit: 1 },
  ],
  ['What were its last trades?', 'get_swaps', { mint, limit: 2 }],
  ['Did this wallet sell it?', 'get_swaps', { mint, wallet, limit: 3 }],
  ['What else does that wallet have, and is it in profit?', 'get_wallet', { wallet, limit: 3 }],
  [
    'Which new tokens have ten holders or more, few snipers, and a link to X?',
    'get_table',
    {
      type: 'new',
      limit: 2,
      filters: { holders: { min: 10 }, snipersHoldingPct: { max: 5 }, socials: { twitter: true } },
    },
  ],
]

/** The part of docs/agents.md that a service with the recording of the package answers. */
export async function agentsMarkdown(url: string): Promise<string> {
  const client = await agentAt(url)
  const parts: string[] = []
  for (const [at, [question, tool, given]] of QUESTIONS.entries()) {
    const { text } = await call(client, tool, given)
    const asked = `${tool} ${JSON.stringify(given)}`
    parts.push(
      `### ${at + 1}. ${question}\n\n\`\`\`\n${asked}\n\`\`\`\n\n\`\`\`\n${text}\n\`\`\`\n`,
    )
  }
  await client.close()
  return `${MADE_FROM}\n\n## Tools\n\n${toolTable()}\n\n## Ten questions\n\n${BEFORE}\n\n${parts.join('\n')}`
}

const BEFORE =
  'The answers of `make run-recorded`, a recording of a simulated market, as a model reads them. Each call also has a typed result.'

function toolTable(): string {
  const rows = [...toolForms().values()].map(({ tool, endpoint, input }) => {
    const required: readonly unknown[] = Array.isArray(input.required) ? input.required : []
    const names = Object.keys(input.properties).map((name) =>
      required.includes(name) ? `**${name}**` : name,
    )
    const request = `${endpoint.method.toUpperCase()} ${endpoint.path}`
    return `| \`${tool.name}\` | ${tool.description} | ${names.join(', ')} | \`${request}\` |`
  })
  const head =
    '| tool | what it answers | arguments, needed ones bold | the request it is |\n|---|---|---|---|'
  return [head, ...rows].join('\n')
}
