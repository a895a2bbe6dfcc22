import { expect, test } from 'vitest'
import type { CloudProvider } from './cloud-account.ts'
import { assertLendable, checkRuns, type SentIdentities } from './check-runs.ts'

const roleArn = 'arn:aws:iam::123456789012:role/plan'
const clientId = '0B1F6471-1BF0-4DDA-AEC3-CB9272F09590'
const serviceAccountEmail = 'plan@p-1.iam.gserviceaccount.com'

const pathOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as { details?: Array<{ path: string }> }).details?.[0]?.path
  }
}

test('each phase has an identity of its own, in the form of its provider', () => {
  expect(checkRuns('aws', { plan: { roleArn }, apply: 'account' })).toEqual({
    plan: { roleArn },
    apply: 'account',
  })
  expect(checkRuns('azure', { apply: { clientId } })).toEqual({
    apply: { clientId: clientId.toLowerCase() },
  })
  expect(checkRuns('gcp', { plan: { serviceAccountEmail } })).toEqual({
    plan: { serviceAccountEmail },
  })
  expect(checkRuns('aws', {})).toBeNull()
})

test.each<[CloudProvider, SentIdentities, string]>([
  ['aws', { plan: { clientId } }, 'runs.plan.clientId'],
  ['aws', { apply: { roleArn, clientId } }, 'runs.apply.clientId'],
  ['aws', { apply: {} }, 'runs.apply'],
  ['aws', { plan: { roleArn: 'arn:aws:iam::1:role/x' } }, 'runs.plan.roleArn'],
  ['aws', { plan: { roleArn: `${roleArn}\nx` } }, 'runs.plan.roleArn'],
  ['azure', { plan: { roleArn } }, 'runs.plan.roleArn'],
  ['azure', { plan: { clientId: 'contoso' } }, 'runs.plan.clientId'],
  ['gcp', { apply: { serviceAccountEmail: 'me@example.com' } }, 'runs.apply.serviceAccountEmail'],
])('%s refuses %j', (provider, sent, path) => {
  expect(pathOf(() => checkRuns(provider, sent))).toBe(path)
})

test('an Azure account with a secret lends no `account`, in either phase', () => {
  const azure = { provider: 'azure', credentialsKind: 'keys' } as const
  for (const phase of ['plan', 'apply'] as const) {
    expect(pathOf(() => assertLendable({ ...azure, runs: { [phase]: 'account' } }))).toBe(
      `runs.${phase}`,
    )
    assertLendable({ ...azure, runs: { [phase]: { clientId } } })
    assertLendable({ ...azure, credentialsKind: 'federation', runs: { [phase]: 'account' } })
    assertLendable({ ...azure, provider: 'aws', runs: { [phase]: 'account' } })
  }
  assertLendable({ ...azure, runs: null })
})
