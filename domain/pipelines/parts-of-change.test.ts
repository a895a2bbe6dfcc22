import { expect, test } from 'vitest'
import { partsOfChange } from './parts-of-change.ts'

test.each([
  [['appBranch'], ['build']],
  [['strategy', 'targetWorkspaceId'], ['deploy']],
  [
    ['appPath', 'strategy'],
    ['build', 'deploy'],
  ],
  [['appRepo'], ['build', 'deploy']],
  [['of a later version'], ['build', 'deploy']],
  [
    ['name', 'sbom'],
    ['build', 'deploy'],
  ],
])('a change of %j is of %j', (fields, parts) => {
  expect(partsOfChange(fields)).toEqual(parts)
})
