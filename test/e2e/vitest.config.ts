import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The console in a real browser against the real service. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: ['test/e2e/setup.ts'],
    reporters: ['default', join(import.meta.dirname, '../setup/closing-line.ts')],
    setupFiles: ['test/setup/leave-nothing.ts'],
    pool: 'forks',
    // Two, because a browser waits much. Importing the service anew for each file took a tenth of the time.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
    // The default of a second is too short for a request on a machine that does other work.
    expect: { poll: { timeout: 15_000 } },
  },
})
