import { defineConfig } from 'vitest/config'

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
      { extends: true, test: { name: 'rules', include: ['{domain,scripts}/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'engines',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/setup/global-setup.ts'],
        },
      },
    ],
  },
})
