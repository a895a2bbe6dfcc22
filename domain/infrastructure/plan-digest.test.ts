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
    'sha256:a530f18831257049f32e368fe6da8bc81c010109b11560ddbd0eea9359142de1',
  )
})

test('the same plan in another folder has another digest', () => {
  const folders = ['', 'a', 'b', 'a/b', 'a\nfolder "b"']
  expect(new Set(folders.map((folder) => planDigest({ ...parts, folder }))).size).toBe(5)
})
