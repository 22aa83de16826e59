import type { Fault } from '../fault.ts'

const TEXTS = 'src/mcp/text-form.ts'
const RESULT = 'src/mcp/tool-result.ts'
const REQUEST = 'src/mcp/tool-request.ts'
const ROUTE = 'src/server/routes/mcp-route.ts'
const INNER = 'src/server/http/inner-calls.ts'
const STRANGERS = ['test/mcp/strangers.test.ts']
const TOOLS = ['test/mcp/tools.test.ts']
const LONG = ['test/mcp/long-answers.test.ts']
const STDIO = ['test/mcp/stdio.test.ts']
const PROTOCOL = ['test/mcp/protocol.test.ts']
const LIMITS = ['test/server/routes/mcp-route.test.ts']

/** Faults of the tools for agents: texts of strangers, limits, who may call. */
export const AGENT_FAULTS: readonly Fault[] = [
  {
    name: 'agents: a name may hold the mark that ends it',
    file: TEXTS,
    find: "    .replace(LIKE_BEHIND, ']')\n",
    replace: '',
    tests: STRANGERS,
  },
  {
    name: 'agents: characters that nobody sees stay in a name',
    file: TEXTS,
    find: "    .replace(UNSEEN, '')\n",
    replace: '',
    tests: STRANGERS,
  },
  {
    name: 'agents: whatever stands in a field of addresses has no marks',
    file: TEXTS,
    find: 'if (CHAIN_KEYS.has(key)) return CHAIN_VALUE.test(text)',
    replace: 'if (CHAIN_KEYS.has(key)) return true',
    tests: STRANGERS,
  },
  {
    name: 'agents: a field without a schema has no marks',
    file: TEXTS,
    find: 'return Array.isArray(anyOf) && anyOf.some(',
    replace: 'return !Array.isArray(anyOf) || anyOf.some(',
    tests: STRANGERS,
  },
  {
    name: 'agents: long rows are shown however many bytes they are',
    file: RESULT,
    find: 'return Buffer.byteLength(text) <= ANSWER_BYTES_MAX - NOTE_BYTES_MAX',
    replace: 'return text.length >= 0',
    tests: TOOLS,
  },
  {
    name: 'agents: of bars that are too many the oldest are shown',
    file: RESULT,
    find: 'keepsLast ? part.slice(part.length - rows) : part.slice(0, rows)',
    replace: 'keepsLast ? part.slice(0, rows) : part.slice(0, rows)',
    tests: TOOLS,
  },
  {
    name: 'agents: of alerts behind a number the newest are shown',
    file: 'src/mcp/tools.ts',
    find: 'keepsLast: ({ after }) => after === undefined',
    replace: 'keepsLast: () => true',
    tests: LONG,
  },
  {
    name: 'agents: next_after and next_cursor are those of rows that are not shown',
    file: 'src/mcp/mcp-server.ts',
    find: 'if (made.fewer === null) return',
    replace: 'if (made.fewer !== -1) return',
    tests: LONG,
  },
  {
    name: 'agents: no rows are asked for where the first one has no room',
    file: RESULT,
    find: 'Math.max(1, shown)',
    replace: 'shown',
    tests: LONG,
  },
  {
    name: 'agents: rows are halved until they fit',
    file: RESULT,
    find: 'over - fits > 1; rows',
    replace: 'over > 1 && fits === 0; rows',
    tests: LONG,
  },
  {
    name: 'agents: the note of a later page counts from the first row on',
    file: 'src/mcp/tools.ts',
    find: '(Number(page ?? 1) - 1) * Number(limit) + shown',
    replace: 'Number(page ?? 1) * 0 + Number(limit) * 0 + shown',
    tests: LONG,
  },
  {
    name: 'agents: a larger limit is told of where no more rows fit',
    file: RESULT,
    find: 'if (shown < fitting)',
    replace: 'if (shown < most)',
    tests: LONG,
  },
  {
    name: 'agents: an empty list of mints is asked for',
    file: REQUEST,
    find: ' && value.length > 0',
    replace: '',
    tests: PROTOCOL,
  },
  {
    name: 'agents: the end of the messages drops answers that are under way',
    file: 'src/mcp/stdio.ts',
    find: '    await Promise.all(underWay)\n',
    replace: '    underWay.clear()\n',
    tests: STDIO,
  },
  {
    name: 'agents: the end of the messages closes the transport',
    file: 'src/mcp/stdio.ts',
    find: '{ end: false }',
    replace: '{ end: true }',
    tests: STDIO,
  },
  {
    name: 'agents: a tool gives as many rows as the API does',
    file: 'src/mcp/tool-forms.ts',
    find: "return { type: 'integer', minimum: 1, ...SHOWN[name] }",
    replace: 'return rest',
    tests: PROTOCOL,
  },
  {
    name: 'agents: an argument goes into the path as it is',
    file: REQUEST,
    find: 'encodeURIComponent(String(given[name]))',
    replace: 'String(given[name])',
    tests: PROTOCOL,
  },
  {
    name: 'agents: a tool is a way round the limit of its endpoint',
    file: INNER,
    find: 'if (taken !== undefined && !taken.allowed) return limitRefusal(taken)',
    replace: '',
    tests: LIMITS,
  },
  {
    name: 'agents: reads go on for one that has left',
    file: INNER,
    find: 'if (caller.hasEnded || startMs > endMs)',
    replace: 'if (startMs > endMs)',
    tests: LIMITS,
  },
  {
    name: 'agents: any page may call where CORS_ORIGIN is *',
    file: ROUTE,
    find: "if (origin === '' || origin === corsOrigin) return true",
    replace: "if (origin === '' || corsOrigin === '*' || origin === corsOrigin) return true",
    tests: PROTOCOL,
  },
  {
    name: 'agents: a host that begins like this machine may call',
    file: ROUTE,
    find: 'LOCAL_PAGES.includes(page.hostname)',
    replace: 'LOCAL_PAGES.some((local) => page.hostname.startsWith(local))',
    tests: PROTOCOL,
  },
  {
    name: 'agents: a message that was answered keeps its place',
    file: ROUTE,
    find: '.finally(() => this.#gate.left(client))',
    replace: '',
    tests: LIMITS,
  },
  {
    name: 'agents: messages of all clients stand in one line',
    file: ROUTE,
    find: 'this.#queue.add(client, () => {',
    replace: "this.#queue.add('', () => {",
    tests: LIMITS,
  },
  {
    name: 'agents: a service that redirects is followed',
    file: 'src/mcp/stdio.ts',
    find: "redirect: 'error'",
    replace: "redirect: 'follow'",
    tests: ['test/mcp/asked-service.test.ts'],
  },
]
