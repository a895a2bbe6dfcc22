import { defineConfig } from 'vitest/config'

/** Files of these leave nothing behind in their process, so that the next file runs in it too. */
const together =
  'test/{api,app,store,activities,worker,workflows,gateways,console,faults,races}/**/*.test.ts'

/** The next file runs in the process of the last one: half of the time was importing the service anew. */
const oneProcess = { isolate: false, setupFiles: ['test/setup/leave-nothing.ts'] }

export default defineConfig({
  test: {
    // Forks, not threads: the engine's client is a native addon, and a sandbox's steps die with the thread.
    pool: 'forks',
    // One more than the processors of CI: on two, a quarter of the time nothing computes.
    maxWorkers: 3,
    testTimeout: 150_000,
    hookTimeout: 240_000,
    teardownTimeout: 20_000,
    projects: [
      // Rules stand on nothing: where they are all that is run, no engine is started.
      {
        extends: true,
        test: {
          name: 'rules',
          include: ['{api,domain,scripts,console}/**/*.test.ts'],
          ...oneProcess,
        },
      },
      // The agent knows the service by its protocol alone, so it needs no engine either.
      {
        extends: true,
        test: { name: 'agent', include: ['test/agent/**/*.test.ts'], ...oneProcess },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: ['test/**/*.test.ts'],
          exclude: [together, 'test/agent/**'],
          globalSetup: ['test/setup/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: [together],
          ...oneProcess,
          globalSetup: ['test/setup/global-setup.ts'],
        },
      },
    ],
  },
})
