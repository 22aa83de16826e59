import { configDefaults, defineConfig } from 'vitest/config'
import { LENGTH } from './test/lengths.ts'
import { LONG_FILES } from './test/long-files.ts'
import { WaitingFirst } from './test/waiting-first.ts'

/**
 * Many short files, and those whose programs and browsers are processes of their own: to load all modules
 * anew for each is a third of the processor's time that short ones take.
 */
const SHARING_FILES = [
  'test/{app,base,client,config,documents,engine,events,feeds,fuzz,oracle,properties,protocol,query,recorded}/**/*.test.ts',
  'test/{browser,process,server,simulator,soak,tidy,web}/**/*.test.ts',
  'bench/**/*.test.ts',
]

/** What this run leaves out. */
const LEFT_OUT = [...configDefaults.exclude, ...(LENGTH === 'short' ? LONG_FILES : [])]

export default defineConfig({
  test: {
    pool: 'forks',
    // A third fills two processors while tests wait; a fourth makes pages miss their times.
    maxWorkers: 3,
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
        },
      },
      {
        extends: true,
        // Engines and disks of one file stay in memory as long as its process, and make the next one slow.
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARING_FILES, ...LEFT_OUT],
        },
      },
    ],
  },
})
