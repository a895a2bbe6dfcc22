import { describe, expect, test } from 'vitest'
import { accountChange } from './account-change.ts'

const was = {
  provider: 'aws',
  name: 'Sandbox',
  syncIntervalMinutes: 60,
  ingestIntervalHours: 24,
  regions: ['eu-west-1', 'us-east-1'],
  endpoint: null,
  billing: null,
  runs: { plan: 'account', apply: { roleArn: 'deploy' } },
} as const
const account = { ...was, regions: [...was.regions] }
const aBill = { bucket: 'bills', prefix: '', region: 'us-east-1', exportName: 'focus' }

describe('what the dialog changes of an account', () => {
  test.each([
    ['nothing', {}, {}],
    ['its name', { name: 'Live' }],
    ['how often it is synced', { syncIntervalMinutes: 90 }],
    ['nothing by the same regions in another order', { regions: ['us-east-1', 'eu-west-1'] }, {}],
    ['its regions', { regions: ['us-east-1'] }],
    ['all regions', { regions: null }],
    ['its endpoint', { endpoint: 'https://sts.example.com' }],
    ['where its bills are', { billing: aBill }],
    ['its credentials', { credentials: { roleArn: 'read' } }],
    ['no identity of any run', { runs: null }],
  ])('%s', (...[, typed, sent = typed]) => {
    expect(accountChange({ ...account, ...typed }, account)).toEqual(sent)
  })

  test('not what another person revoked while the dialog was open', () => {
    const now = { ...account, runs: { plan: 'account' as const } }
    expect(accountChange(account, account, now)).toEqual({})
    const typed = { ...account, runs: { ...was.runs, plan: { roleArn: 'read' } } }
    expect(accountChange(typed, account, now)).toEqual({ runs: { plan: { roleArn: 'read' } } })
    const none = { ...account, runs: { apply: was.runs.apply } }
    expect(accountChange(none, account, now)).toEqual({ runs: null })
  })
})

describe('what the dialog changes of the bills', () => {
  const billed = { ...account, billing: aBill }
  test('nothing by the same fields, of which an empty one may be left out', () => {
    const { prefix: _, ...billing } = aBill
    expect(accountChange({ ...billed, billing }, billed)).toEqual({})
  })

  test('all fields where one is another, because the service replaces them whole', () => {
    const billing = { ...aBill, exportName: 'focus-2' }
    expect(accountChange({ ...billed, billing }, billed)).toEqual({ billing })
  })

  const shown = { storageAccount: 'bills', container: 'costs', directory: '' }
  const ofAzure = { ...account, provider: 'azure', billing: shown } as const
  test('a secret, which is never shown', () => {
    expect(accountChange(ofAzure, ofAzure)).toEqual({})
    const billing = { ...shown, sasToken: 'sv=1' }
    expect(accountChange({ ...ofAzure, billing }, ofAzure)).toEqual({ billing })
  })

  test('that a stored secret is deleted: all fields without it', () => {
    expect(accountChange({ ...ofAzure, deletesSecret: true }, ofAzure)).toEqual({ billing: shown })
    expect(accountChange({ ...ofAzure, billing: null, deletesSecret: true }, ofAzure)).toEqual({
      billing: null,
    })
    const none = { ...ofAzure, billing: null }
    expect(accountChange({ ...none, deletesSecret: true }, none)).toEqual({})
  })

  test('all fields again with another endpoint, unless a stored secret would be deleted', () => {
    const typed = { endpoint: 'https://private.example.com', credentials: { clientId: 'c' } }
    expect(accountChange({ ...billed, ...typed }, billed)).toEqual({ ...typed, billing: aBill })
    expect(accountChange({ ...billed, endpoint: typed.endpoint }, billed)).toEqual({
      endpoint: typed.endpoint,
    })
    expect(accountChange({ ...account, ...typed }, account)).toEqual(typed)
    expect(accountChange({ ...ofAzure, ...typed }, ofAzure)).toEqual(typed)
    const billing = { ...shown, connectionString: 'AccountKey=k' }
    expect(accountChange({ ...ofAzure, ...typed, billing }, ofAzure)).toEqual({ ...typed, billing })
    expect(accountChange({ ...ofAzure, ...typed, deletesSecret: true }, ofAzure)).toEqual({
      ...typed,
      billing: shown,
    })
  })

  test('that they are not read any more', () => {
    expect(accountChange({ ...billed, billing: null }, billed)).toEqual({ billing: null })
  })

  test('how often they are looked at, but not where the form does not ask', () => {
    expect(accountChange({ ...billed, ingestIntervalHours: 6 }, billed)).toEqual({
      ingestIntervalHours: 6,
    })
    const { ingestIntervalHours: _, ...typed } = billed
    expect(accountChange(typed, billed)).toEqual({})
  })
})
