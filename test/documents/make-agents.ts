/** Writes the part of docs/agents.md that is made (`node test/documents/make-agents.ts`). */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import { agentsMarkdown, MADE_FROM } from './agents.ts'
import { RECORDED } from './recorded-program.ts'

const path = join(ROOT, 'docs/agents.md')
const program = await startProgram(RECORDED)
await program.seen(/"msg":"feed ended"/)
const [before = ''] = readFileSync(path, 'utf8').split(MADE_FROM)
writeFileSync(path, before + (await agentsMarkdown(program.url)))
await program.end('SIGTERM')
