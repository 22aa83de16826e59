/** Measures one row and keeps its result. Argument: the row's name. */
import { setTimeout } from 'node:timers/promises'
import { tellParent } from './child.ts'
import { readConditions } from './conditions.ts'
import { EXTRAS, ROWS } from './rows.ts'

/** For the processes that a row has ended to be gone, so that their CPU time is counted as ours. */
const REST_MS = 300

// An exit by signal would leave processes behind that were started.
process.once('SIGTERM', () => process.exit(1))
process.once('SIGINT', () => process.exit(1))
process.once('disconnect', () => process.exit(process.exitCode))

const conditions = readConditions()
const { run } = await { ...ROWS, ...EXTRAS }[process.argv[2]]()
const lines = await run()
await setTimeout(REST_MS)
tellParent({ result: JSON.stringify({ conditions, lines }) })
process.disconnect?.()
