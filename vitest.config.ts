import { configDefaults, defineConfig } from 'vitest/config'
import { IS_SHORT } from './test/lengths.ts'
import { LONG_FILES } from './test/long-files.ts'
import { WaitingFirst } from './test/waiting-first.ts'

/**
 * Many short files, and those whose programs and browsers are processes of their own: to load all modules
 * anew for each is a third of the processor's time that short ones take.
 */
const SHARING_FILES = [
  'test/{app,base,client,config,documents,engine,events,feeds,fuzz,oracle,properties,protocol,query,recorded}/**/*.test.ts',
  'test/{process,server,simulator,soak,tidy,web}/**/*.test.ts',
  'bench/**/*.test.ts',
]

const BROWSER_FILES = ['test/browser/**/*.test.ts']

/** What this run leaves out. */
const LEFT_OUT = [...configDefaults.exclude, ...(IS_SHORT ? LONG_FILES : [])]

/** Many tests wait for programs, clocks and disks: four at a time fill two processors. */
const AT_FIRST = { maxWorkers: 4, sequence: { groupOrder: 0 } }
/** Pages that share two processors with three others miss the times that people would wait. */
const AT_LAST = { maxWorkers: 3, sequence: { groupOrder: 1 } }

export default defineConfig({
  test: {
    pool: 'forks',
    // Longer than any wait in a test, whose own sentence then says what did not come; slow machines exist.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    // Node reads the modules itself: every call of an import was a fifth slower through Vite.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/scratch-folders.ts', 'test/told-length.ts'],
    setupFiles: ['test/property-seed.ts'],
    reporters: ['default'],
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: SHARING_FILES,
          exclude: LEFT_OUT,
          isolate: false,
          setupFiles: ['test/fresh-file.ts'],
          ...AT_FIRST,
        },
      },
      {
        extends: true,
        // Engines and disks of one file stay in memory as long as its process, and make the next one slow.
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARING_FILES, ...BROWSER_FILES, ...LEFT_OUT],
          ...AT_FIRST,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER_FILES,
          exclude: LEFT_OUT,
          isolate: false,
          setupFiles: ['test/fresh-file.ts'],
          ...AT_LAST,
        },
      },
    ],
  },
})
