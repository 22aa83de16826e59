import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Message, plainFields } from './child.ts'

/**
 * Runs a file of bench/processes to its end; it prints one object of figures as JSON.
 * @throws Error when it fails, with the code ETIMEDOUT when it takes longer than `patienceMs`
 */
export function figuresOf(file: string, args: readonly number[], patienceMs: number): Message {
  const path = fileURLToPath(new URL(`./processes/${file}`, import.meta.url))
  const text = execFileSync(process.execPath, ['--expose-gc', path, ...args.map(String)], {
    encoding: 'utf8',
    timeout: patienceMs,
  })
  return plainFields(JSON.parse(text))
}
