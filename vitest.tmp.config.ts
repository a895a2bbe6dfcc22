import { defineConfig } from 'vitest/config'
export default defineConfig({ test: { root: '/work/wt/people', include: ['test/peers/**/*.peer.ts'], pool: 'forks', maxWorkers: 1, testTimeout: 300_000, hookTimeout: 600_000 } })
