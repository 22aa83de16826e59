import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'bench/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    // Node reads the modules itself: every call of an import was a fifth slower through Vite.
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/scratch-folders.ts'],
    setupFiles: ['test/property-seed.ts'],
    reporters: ['default'],
  },
})
