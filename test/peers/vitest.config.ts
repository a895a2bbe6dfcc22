import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Programs of other people against the real service: what our own tests take for granted, they do not. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/peers/**/*.peer.ts'],
    globalSetup: ['test/setup/global-setup.ts'],
    reporters: ['default', join(import.meta.dirname, '../setup/closing-line.ts')],
    setupFiles: ['test/setup/leave-nothing.ts'],
    pool: 'forks',
    // Two, because peers wait for each other and the service.
    maxWorkers: 2,
    // Importing the service anew for each file took a tenth of the time.
    isolate: false,
    testTimeout: 300_000,
    // A peer that is not there yet is installed first.
    hookTimeout: 600_000,
    teardownTimeout: 20_000,
  },
})
