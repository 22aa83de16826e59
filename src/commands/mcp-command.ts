import { SETTING_DEFAULTS } from '../config/config.ts'
import { type Command, Exit, UsageError } from './command.ts'

const DEFAULT_URL = `http://127.0.0.1:${SETTING_DEFAULTS.PORT}`

/** `mintfeed mcp`: the tools of `/mcp` on standard input and output. */
export const MCP_COMMAND: Command = {
  summary: 'tools for agents on standard input and output (MCP), answered by a running service',
  help:
    'Agents start it and speak the Model Context Protocol with it; a person has nothing to type.\n' +
    'The tools are those of /mcp of the service, which need not have MCP=on. docs/agents.md tells\n' +
    'how clients are set up, and what a token can try to tell an agent by its name.',
  needsFolder: false,
  flags: { url: { type: 'string', meaning: `address of the service; default ${DEFAULT_URL}` } },
  run: async ({ flags }, terminal) => {
    const url = serviceUrl(String(flags.url ?? DEFAULT_URL))
    // The SDK takes longer to load than most commands run.
    const { serveOnStreams } = await import('../mcp/stdio.ts')
    await serveOnStreams(url, terminal)
    return Exit.good
  },
}

/** @throws UsageError when it is no address of a service */
function serviceUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === ''
  if (isPlain && ['http:', 'https:'].includes(url.protocol)) return url.href.replace(/\/+$/, '')
  throw new UsageError(
    '--url cannot be used; it must be like http://127.0.0.1:8080, without a login, a query or a hash.',
  )
}
