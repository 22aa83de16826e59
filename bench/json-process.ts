import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Message, messageOf } from './child.ts'

const PATIENCE_MS = 200_000

/** Runs a file of bench/processes to its end; it prints one object of figures as JSON. */
export function figuresOf(file: string, args: readonly number[]): Message {
  const path = fileURLToPath(new URL(`./processes/${file}`, import.meta.url))
  const text = execFileSync(process.execPath, ['--expose-gc', path, ...args.map(String)], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  return messageOf(JSON.parse(text))
}
