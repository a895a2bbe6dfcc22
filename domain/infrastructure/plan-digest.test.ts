import { expect, test } from 'vitest'
import { planDigest, type PlanDigestParts } from './plan-digest.ts'

const parts: PlanDigestParts = {
  planFileSha256: 'aa',
  configurationSha256: 'bb',
  lockFileSha256: undefined,
  modulesSha256: undefined,
  engineVersion: '1.12.6',
  stateLineage: null,
  stateSerial: null,
  variablesMac: 'cc',
  folder: '',
}

test('a plan of the top folder has the digest that it had before folders were a part of it', () => {
  expect(planDigest(parts)).toBe(
    'sha256:9f2b08e5679237e7f8438536e644ec50ed335edb0cfa7422c94346eb046f5c6f',
  )
})

test('the same plan in another folder has another digest', () => {
  const folders = ['', 'a', 'b', 'a/b', 'a\nfolder "b"']
  expect(new Set(folders.map((folder) => planDigest({ ...parts, folder }))).size).toBe(5)
})
