import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** Nothing starts these any more. */
const ofEarlierVersions = new Set([
  'workflows/platform/reconcile.ts',
  'workflows/git/check-git-connections.ts',
])

/** The options of each group of activities that may take longer than a minute and send no heartbeat. */
const silentIn = (text: string): string[] =>
  [...text.matchAll(/proxyActivities<\w+>\(\{(.*?)\n\}\)/gs)]
    .map(([, options = '']) => options)
    .filter((options) =>
      /startToCloseTimeout: '(\d+ hours?|[2-9]\d* minutes|1\d+ minutes)'/.test(options),
    )
    .filter((options) => !options.includes('heartbeatTimeout'))

test('activities of more than a minute have heartbeats, so that a lost worker is noticed before their limit', () => {
  const files = globSync('workflows/**/*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(10)
  const silent = files
    .filter((file) => !ofEarlierVersions.has(file))
    .filter((file) => silentIn(readFileSync(join(root, file), 'utf8')).length > 0)
  expect(silent).toEqual([])
})

test('the rule finds those without', () => {
  const options = (more: string) => `const { a } = proxyActivities<A>({\n  ${more}\n})\n`
  expect(silentIn(options(`startToCloseTimeout: '5 minutes',`))).toHaveLength(1)
  expect(silentIn(options(`startToCloseTimeout: '12 minutes',`))).toHaveLength(1)
  expect(silentIn(options(`startToCloseTimeout: '1 hour',`))).toHaveLength(1)
  expect(silentIn(options(`startToCloseTimeout: '30 seconds',`))).toHaveLength(0)
  expect(
    silentIn(options(`startToCloseTimeout: '1 hour', heartbeatTimeout: '15 seconds',`)),
  ).toHaveLength(0)
})
