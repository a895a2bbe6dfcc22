import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  refusal,
  scriptedAccount,
  type ScriptedAws,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'

const keys = { accessKeyId: 'AKIAOWN', secretAccessKey: 'own-secret' }

describe('the accounts of an AWS organization', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())
  const openAt = openedClouds({
    provider: 'aws',
    accountId: scriptedAccount,
    credentials: keys,
  })
  const open = async () => openAt(aws.cloud)

  test('CloudQuery #2168, #13869: the members of an organization, the suspended ones too', async () => {
    aws.handlers['ListAccounts'] = ({ NextToken }) => ({
      body: NextToken
        ? { Accounts: [{ Id: '222222222222', Name: 'old', Status: 'SUSPENDED' }] }
        : { Accounts: [{ Id: '111111111111', Name: 'web', Status: 'ACTIVE' }], NextToken: 'n' },
    })
    const cloud = await open()
    const active = { accountId: '111111111111', name: 'web', status: 'ACTIVE' }
    const suspended = { accountId: '222222222222', name: 'old', status: 'SUSPENDED' }
    const page = async (cursor: string | null, limit: number) => cloud.members?.({ cursor, limit })
    expect(await page(null, 50)).toEqual({ members: [active, suspended], next: null })
    // A page at a time, which goes on by the token of the one before.
    expect(await page(null, 1)).toEqual({ members: [active], next: 'n' })
    expect(await page('n', 1)).toEqual({ members: [suspended], next: null })
    aws.handlers['ListAccounts'] = () => ({ body: { Accounts: [], NextToken: 'same' } })
    await expect(page('same', 50)).rejects.toMatchObject({ kind: 'page_token' })
    aws.handlers['ListAccounts'] = () => refusal('InvalidInputException', 'no')
    await expect(page('of another', 50)).rejects.toMatchObject({ kind: 'page_token' })
  })

  test('the members: a page longer than asked is a fault, and a list of empty pages goes on by a cursor', async () => {
    const cloud = await open()
    const asked = async () => cloud.members?.({ cursor: null, limit: 1 })
    const Accounts = ['111111111111', '222222222222'].map((Id) => ({ Id, Status: 'ACTIVE' }))
    aws.handlers['ListAccounts'] = () => ({ body: { Accounts } })
    await expect(asked()).rejects.toMatchObject({ kind: 'unreachable' })
    let calls = 0
    aws.handlers['ListAccounts'] = () => {
      calls += 1
      return { body: calls > 100 ? { Accounts: [] } : { Accounts: [], NextToken: `n${calls}` } }
    }
    expect(await asked()).toEqual({ members: [], next: 'n20' })
  })

  test('the members: in no organization, without the right, and throttled', async () => {
    const cloud = await open()
    const asked = async () => cloud.members?.({ cursor: null, limit: 50 })
    aws.handlers['ListAccounts'] = () => refusal('AWSOrganizationsNotInUseException', 'no')
    expect(await asked()).toBeUndefined()
    aws.handlers['ListAccounts'] = () => refusal('AccessDeniedException', 'no')
    await expect(asked()).rejects.toMatchObject({
      kind: 'denied',
      missing: ['organizations:ListAccounts'],
      message: expect.stringContaining('management account'),
    })
    let left = 1
    aws.handlers['ListAccounts'] = () =>
      (left -= 1) >= 0 ? refusal('TooManyRequestsException', 'slow') : { body: { Accounts: [] } }
    expect(await asked()).toEqual({ members: [], next: null })
  })
})
