import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../vitest.config.ts'

const root = join(import.meta.dirname, '../..')
const ofNobody = /(^|\/)(node_modules|dist|\.output|\.data)\//

test('each test file is run by one project of vitest.config.ts', () => {
  const projects = config.test?.projects ?? []
  const runs = new Map<string, number>()
  for (const project of projects) {
    if (typeof project !== 'object' || !('test' in project)) throw new Error('a project in a file')
    const { include = [], exclude = [] } = project.test ?? {}
    for (const path of globSync(include, { cwd: root, exclude }))
      runs.set(path, (runs.get(path) ?? 0) + 1)
  }
  const files = globSync('*/**/*.test.{ts,tsx}', { cwd: root }).filter(
    (path) => !ofNobody.test(path),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((path) => runs.get(path) !== 1)).toEqual([])
})

test('statements over all organizations are in store/platform/, where a review looks for them', () => {
  // The layers that have a store, without the demo's data in scripts/, tests and benches.
  const files = globSync('{activities,api,app,worker}/**/*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(500)
  const stating = files.filter((path) =>
    /\bplatform(\.raw)?\(/.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(stating).toEqual([])
})
