/** Writes the examples of the documents (`node test/documents/make-examples.ts`). */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { examplesFile, runningExamples } from './examples.ts'

const path = fileURLToPath(new URL('../../src/openapi/examples.ts', import.meta.url))
writeFileSync(path, examplesFile(await runningExamples()))
