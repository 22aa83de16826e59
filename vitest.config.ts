import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'bench/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // To load all modules anew for each file was a third of the processor's time.
    isolate: false,
    // Longer than any wait in a test, whose own sentence then says what did not come; slow machines exist.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    // Node reads the modules itself: every call of an import was a fifth slower through Vite.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/scratch-folders.ts'],
    setupFiles: ['test/property-seed.ts', 'test/fresh-file.ts'],
    reporters: ['default'],
  },
})
