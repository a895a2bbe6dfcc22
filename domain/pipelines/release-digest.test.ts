import { expect, test } from 'vitest'
import { releaseDigest, releaseText, type ReleaseDigestParts } from './release-digest.ts'

const parts: ReleaseDigestParts = {
  artifactSha256: 'a'.repeat(64),
  manifestSha256: 'b'.repeat(64),
  commitSha: 'c'.repeat(40),
  strategy: { kind: 'canary', steps: [5, 100], bakeSeconds: 0, confirm: 'none', maxFailures: 0 },
  targetWorkspaceId: 7,
  variablesMac: 'd',
  isRollback: false,
}

test('the bytes, and their digest, are the same in every version', () => {
  expect(releaseText(parts)).toBe(
    [
      'release 1',
      `artifact "${'a'.repeat(64)}"`,
      `manifest "${'b'.repeat(64)}"`,
      `commit "${'c'.repeat(40)}"`,
      'strategy {"bakeSeconds":0,"confirm":"none","kind":"canary","maxFailures":0,"steps":[5,100]}',
      'target 7',
      'variables "d"',
      'rollback false',
    ].join('\n'),
  )
  expect(releaseDigest(parts)).toBe(
    'sha256:bef51ca37b9fc865a84566afe1fed87fa9c7156ab83702231cda415108dcc803',
  )
})

test('each part counts, and the order of keys does not', () => {
  const { strategy } = parts
  const others: Array<Partial<ReleaseDigestParts>> = [
    { artifactSha256: 'x' },
    { manifestSha256: 'x' },
    { commitSha: 'x' },
    { strategy: { kind: 'all-at-once', maxFailures: 0 } },
    { strategy: { kind: 'canary', steps: [100], bakeSeconds: 0, confirm: 'none', maxFailures: 0 } },
    {
      strategy: {
        kind: 'canary',
        steps: [5, 100],
        bakeSeconds: 1,
        confirm: 'none',
        maxFailures: 0,
      },
    },
    { targetWorkspaceId: 8 },
    { targetWorkspaceId: null },
    { variablesMac: 'x' },
    { isRollback: true },
  ]
  const digests = [parts, ...others.map((other) => ({ ...parts, ...other }))].map(releaseDigest)
  expect(new Set(digests).size).toBe(others.length + 1)
  const turned = Object.fromEntries(Object.entries(strategy).toReversed()) as typeof strategy
  expect(releaseDigest({ ...parts, strategy: turned })).toBe(releaseDigest(parts))
})

test('a part that holds a line of another part is not taken for it', () => {
  const forged = { ...parts, commitSha: `c"\ntarget 8\n`, targetWorkspaceId: null }
  expect(releaseText(forged).split('\n')).toHaveLength(8)
})
