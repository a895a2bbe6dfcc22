import { describe, expect, test } from 'vitest'
import { hookEnv } from '../../agent/hooks/hook-env.ts'
import { ClaimFault, readClaim } from '../../agent/service/read-claim.ts'

const digest = `sha256:${'a'.repeat(64)}`
const claimWith = (key: string) => ({
  id: 1,
  fence: 1,
  action: 'deploy',
  leaseUntil: '2026-01-01T00:00:00.000Z',
  release: { digest, contentDigest: digest, sizeBytes: 1, provenance: {}, runId: 1 },
  env: [{ key, value: 'x', sensitive: false }],
})

describe('variables of a claim', () => {
  test.each([
    'BASH_ENV',
    'ENV',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'PATH',
    'HOME',
    'PERL5OPT',
    'PYTHONPATH',
    'https_proxy',
    'GIT_SSH_COMMAND',
    'TF_VAR_a',
    'CC_PHASE',
    'CC_AGENT_TOKEN',
    'CC_OUT_',
    'CC_OUT_a',
    'lower',
    'A B',
    '',
  ])('%s is refused, whoever put it into the claim', (key) => {
    expect(() => readClaim(claimWith(key))).toThrow(ClaimFault)
  })

  test.each([
    'CC_RUN_ID',
    'CC_RELEASE_DIGEST',
    'CC_COMMIT',
    'CC_PIPELINE',
    'CC_WORKSPACE',
    'CC_OUT_LB_DNS',
    'COLOR',
    'NPM_TOKEN',
    'DATABASE_URL',
  ])('%s is taken', (key) => {
    expect(readClaim(claimWith(key)).env).toEqual([{ key, value: 'x', sensitive: false }])
  })

  test('no variable stands for the search path or the home of the hook', () => {
    const given = ['PATH', 'HOME'].map((key) => ({ key, value: '/forged', sensitive: false }))
    const env = hookEnv(given, { phase: 'activate', digest, path: '/releases/x' })
    expect(Object.values(env)).not.toContain('/forged')
  })
})
