import { expect, test } from 'vitest'
import type { AnyRunDetail } from '../api/types.ts'
import { hasDeployment } from './has-deployment.ts'

const run = (deploy: string, more: object) =>
  ({
    state: 'running',
    deployment: { batch: 0 },
    stages: [{ name: 'deploy', state: deploy }],
    ...more,
  }) as Pick<AnyRunDetail, 'state' | 'stages' | 'deployment'>

test('a deployment has begun once its stage works, and stays when the run is over', () => {
  // These show what would be deployed.
  for (const state of ['waiting', 'queued'])
    expect(hasDeployment(run(state, {})), state).toBe(false)
  expect(hasDeployment(run('pending', { deployment: null }))).toBe(false)
  expect(hasDeployment(run('running', {}))).toBe(true)
  expect(hasDeployment(run('failed', { state: 'failed' }))).toBe(true)
  expect(hasDeployment(run('skipped', { state: 'failed', deployment: null }))).toBe(false)
})
