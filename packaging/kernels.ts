import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import wabt from 'wabt'

const SOURCE = new URL('../src/query/tables/candidates.wat', import.meta.url)
/** Characters of a line of the text. */
const LINE = 90

/** src/query/tables/candidates-wasm.ts, made of its source: the program needs no compiler then, and no file. */
export async function kernelsModule(): Promise<string> {
  const { parseWat } = await wabt()
  const features = { simd: true, threads: true, bulk_memory: true }
  const parsed = parseWat('candidates.wat', readFileSync(fileURLToPath(SOURCE), 'utf8'), features)
  const text = Buffer.from(parsed.toBinary({}).buffer).toString('base64')
  parsed.destroy()
  const lines = text.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
  return [
    '/** candidates.wat as WebAssembly in base64: `npm run kernels` writes it. */',
    'export const CANDIDATES_WASM =',
    `${lines.map((line) => `  '${line}'`).join(' +\n')}\n`,
  ].join('\n')
}
