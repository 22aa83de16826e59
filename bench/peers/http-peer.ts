import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Child } from '../child.ts'
import type { Target } from '../drivers/http-load.ts'

/** A server beside ours that sends the same bytes and does nothing else. */
export class HttpPeer implements Target {
  readonly port: number
  readonly #child: Child

  private constructor(child: Child, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(
    file: 'bare-http.ts' | 'fastify-http.ts',
    body: Uint8Array,
  ): Promise<HttpPeer> {
    const folder = mkdtempSync(join(tmpdir(), 'mintfeed-bench-'))
    const path = join(folder, 'body')
    writeFileSync(path, body)
    const child = new Child(`peers/${file}`, [path])
    try {
      return new HttpPeer(child, Number((await child.next()).port))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  get pid(): number {
    return this.#child.pid
  }

  stop(): void {
    this.#child.stop()
  }
}
