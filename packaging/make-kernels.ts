/** Writes the WebAssembly of src/query/tables/candidates.wat anew. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { kernelsModule } from './kernels.ts'

const file = new URL('../src/query/tables/candidates-wasm.ts', import.meta.url)
writeFileSync(fileURLToPath(file), await kernelsModule())
