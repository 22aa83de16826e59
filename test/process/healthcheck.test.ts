import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HAS_OPENSSL, makeCertificate } from '../server/certificates.ts'
import { ROOT } from '../tidy/source-files.ts'
import { freePort } from './free-port.ts'
import { type Settings, startProgram } from './program.ts'

/** Ends as the image's own check does, with the settings that its container has. */
async function checked(settings: Settings): Promise<unknown> {
  const text = readFileSync(join(ROOT, 'packaging/Dockerfile'), 'utf8')
  const command: unknown = JSON.parse(/HEALTHCHECK[^[]*(\[.*\])/.exec(text)?.[1] ?? '')
  const [program, ...args] = Array.isArray(command) ? command.map(String) : []
  const env = { PATH: process.env.PATH, ...settings }
  const [code] = await once(spawn(program, args, { cwd: ROOT, env }), 'exit')
  return code
}

test.skipIf(!HAS_OPENSSL)('the image finds its service healthy, also with TLS', async () => {
  const { certFile, keyFile } = makeCertificate('healthy')
  for (const tls of [{}, { TLS_CERT: certFile, TLS_KEY: keyFile }]) {
    const settings = { ...tls, PORT: String(await freePort()) }
    expect(await checked(settings)).toBe(1)
    const program = await startProgram({ ...settings, FEED: 'none' })
    onTestFinished(() => void program.end('SIGKILL'))
    expect(await checked(settings)).toBe(0)
    await program.end('SIGTERM')
  }
})
