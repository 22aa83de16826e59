import { setImmediate } from 'node:timers/promises'
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { SILENT } from '../../src/commands/command.ts'
import { verifyFolder } from '../../src/commands/verify.ts'
import { Engine } from '../../src/engine/engine.ts'
import { compact } from '../../src/store/compaction/compaction.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { newFolder } from '../new-folder.ts'
import { crowdOfLines, emptyEngine, filledFolder, Run } from './folders.ts'

/** Their records are more than is read of a part without a rest. */
const SWAPS = 40_000

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

test('verify holds one state: that of a snapshot goes before the next one is loaded', () => {
  const { folder } = filledFolder()
  let othersThere = -1
  verifyFolder({
    ...{ disk: new NodeDisk(), folder, written: null },
    newEngine: () => emptyEngine(folder),
    progress: {
      ...SILENT,
      // The last snapshot is about to be filled in; what is counted is its own engine and who else is there.
      begin: (what) => {
        if (what.startsWith('loading')) othersThere = queryObjects(Engine, { format: 'count' }) - 1
      },
    },
    onCheck: () => {},
  })
  expect(othersThere).toBe(0)
})

test('a compactor holds one state: what it wrote goes before that is loaded again', async () => {
  const folder = newFolder()
  const events = crowdOfLines(7, SWAPS)
  const run = new Run(folder, { batch: 1_000, fsync: 'off' })
  run.take(events.slice(0, SWAPS / 2)).snapshot()
  run.take(events.slice(SWAPS / 2))
  const made: WeakRef<Engine>[] = []
  const steps = compact({
    ...{ disk: new NodeDisk(), folder, keepsJournal: false },
    untilSegment: run.journal.boundary(),
    newEngine: () => {
      const engine = emptyEngine(folder)
      made.push(new WeakRef(engine))
      return engine
    },
  })
  for (;;) {
    const step = steps.next()
    if (step.done) throw new Error('it came to its end without a rest')
    if (step.value.step === 'verify') break
  }
  // What a weak reference was made of lives to the end of the turn.
  await setImmediate()
  collect()
  expect(made.map((engine) => engine.deref() !== undefined)).toEqual([false, true])
  runToEnd(steps)
  run.close()
})
