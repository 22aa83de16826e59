import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listening } from '../../process/free-port.ts'
import { ChainAccounts } from '../peers/chain-accounts.ts'

/** What a server answers in place of an account; null: what it knows. */
export type Refuse = (method: string) => { readonly status?: number; readonly code?: number } | null

export interface AskedQuestion {
  readonly method: string
  readonly params: readonly unknown[]
  /** By the clock that the test gave. */
  readonly atMs: number
}

/** An RPC server that knows accounts; it ends with the test. */
export class AccountsServer {
  readonly known = new ChainAccounts()
  readonly asked: AskedQuestion[] = []
  /** The slot that its answers are of. */
  slot = 0
  refuse: Refuse = () => null
  url = ''

  static async listen(nowMs: () => number): Promise<AccountsServer> {
    const accounts = new AccountsServer()
    const server = createServer(async (request, response) => {
      const { id, method, params } = JSON.parse(await text(request))
      accounts.asked.push({ method, params, atMs: nowMs() })
      const { status = 200, code } = accounts.refuse(method) ?? {}
      const result =
        code === undefined ? accounts.known.answer(method, params, accounts.slot) : null
      const error = { code: code ?? -32_601, message: 'not from this node' }
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
    })
    accounts.url = `http://127.0.0.1:${await listening(server)}`
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return accounts
  }

  askedBy(method: string): readonly AskedQuestion[] {
    return this.asked.filter((question) => question.method === method)
  }
}
