import { describe, expect, test } from 'vitest'
import { channelChange } from './channel-change.ts'

const was = {
  name: 'Cost team',
  scopeKind: null,
  scopeValue: null,
  minimumImpact: 50,
  recipients: { userIds: [3, 4], capability: 'manage_cloud_accounts' as const, owners: true },
  digest: 'daily' as const,
}

describe('what the form of a channel changes', () => {
  test.each([
    ['nothing', {}],
    ['its name, and no recipient that another person added', { name: 'Finance' }],
    ['its recipients alone', { recipients: { ...was.recipients, userIds: [3] } }],
    ['its role', { recipients: { ...was.recipients, capability: null } }],
    ['how often it is mailed', { digest: 'immediate' as const }],
    ['no minimum', { minimumImpact: null }],
    ['its events, which are there only where they changed', { events: ['budget.*'] }],
    ['its address, which cannot be compared', { url: 'https://chat.example/new' }],
    ['what it is about', { scopeKind: 'tag' as const, scopeValue: 'team=web' }],
  ])('%s', (_, typed) => {
    expect(channelChange({ ...was, ...typed }, was)).toEqual(typed)
  })

  test('nothing by another order of its people', () => {
    const recipients = { ...was.recipients, userIds: [4, 3] }
    expect(channelChange({ ...was, recipients }, was)).toEqual({})
  })

  test('nothing by a scope of everything, which has two forms', () => {
    expect(channelChange(was, { ...was, scopeKind: 'all' })).toEqual({})
  })
})
