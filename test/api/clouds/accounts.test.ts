import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import {
  awsAccount,
  awsKeys,
  azureAccount,
  googleAccount,
  serviceAccountKey,
} from './account-bodies.ts'

const path = '/api/cloud/accounts'

describe(path, () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness({
      env: { CC_PRIVATE_HOSTS: 'cloud=127.0.0.1:5000,billing=127.0.0.1:9000' },
    })
  })
  afterAll(async () => harness.close())

  const sql = async (org: TestOrganization, table: string) =>
    harness.deps.store.tenant(org.id, async (tenant) => unwrap(tenant).db(table).orderBy('id'))
  const events = async (org: TestOrganization) =>
    (await sql(org, 'audit_entries')).filter(({ event }) => /^(cloud|workspace)\./.test(event))

  test('201: an account of each cloud and form is connected as pending, its secrets are sealed', async () => {
    const org = await harness.organization()
    const user = await org.user('SRE · Cloud Admin')
    const secret = awsKeys()
    const key = serviceAccountKey()
    const forms: Array<[Record<string, unknown>, string]> = [
      [awsAccount(), 'federation'],
      [awsAccount({ credentials: secret }), 'keys'],
      [azureAccount(), 'federation'],
      [googleAccount(), 'federation'],
      [googleAccount({ credentials: { serviceAccountKey: key } }), 'keys'],
      [googleAccount({ accountId: 'organizations/42' }), 'federation'],
      [azureAccount({ accountId: 'managementGroups/Platform' }), 'federation'],
    ]
    for (const [body, kind] of forms) {
      const made = await user.post(path, body)
      expect([made.statusCode, made.json()], JSON.stringify(body)).toMatchObject([
        201,
        {
          ok: true,
          account: {
            provider: body['provider'],
            name: body['name'],
            status: 'pending',
            statusReason: null,
            checks: [],
            credentialsSet: true,
            credentialsKind: kind,
            syncIntervalMinutes: 60,
            ingestIntervalHours: 24,
            regions: null,
          },
        },
      ])
      expect(made.json().account).not.toHaveProperty('credentials')
    }
    const listed = (await (await org.user('Viewer')).get(`${path}?limit=200`)).json()
    expect(listed.accounts).toHaveLength(forms.length)
    const stored = JSON.stringify(await sql(org, 'cloud_accounts'))
    for (const hidden of [secret.secretAccessKey, JSON.parse(key).private_key])
      expect(stored + harness.logged()).not.toContain(hidden)
    const [first] = await events(org)
    expect(first).toMatchObject({
      event: 'cloud.account_connected',
      detail: { provider: 'aws', credentialsKind: 'federation' },
    })
  })

  test('400: each provider’s ids and credentials have its own form, and no value is quoted', async () => {
    const user = await (await harness.organization()).user('Owner')
    const { accessKeyId, secretAccessKey } = awsKeys()
    const wrong: Array<[Record<string, unknown>, string]> = [
      [awsAccount({ accountId: '1' }), 'accountId'],
      [awsAccount({ credentials: {} }), 'credentials'],
      [awsAccount({ credentials: { roleArn: 'arn:aws:iam::1:role/x' } }), 'credentials.roleArn'],
      [awsAccount({ credentials: { accessKeyId } }), 'credentials'],
      [
        awsAccount({ credentials: { accessKeyId: secretAccessKey, secretAccessKey } }),
        'credentials.accessKeyId',
      ],
      [
        awsAccount({ credentials: { accessKeyId: `ASIA${'A'.repeat(16)}`, secretAccessKey } }),
        'credentials.accessKeyId',
      ],
      [awsAccount({ credentials: { clientSecret: secretAccessKey } }), 'credentials.clientSecret'],
      [azureAccount({ accountId: '123456789012' }), 'accountId'],
      [azureAccount({ credentials: { tenantId: 'contoso' } }), 'credentials'],
      [googleAccount({ accountId: 'projects/x' }), 'accountId'],
      [
        googleAccount({ credentials: { serviceAccountKey: '{}' } }),
        'credentials.serviceAccountKey',
      ],
      [
        googleAccount({ credentials: { workloadIdentityProvider: '//evil.example/projects/1' } }),
        'credentials.workloadIdentityProvider',
      ],
      [awsAccount({ billing: { bucket: 'b-1' } }), 'billing.prefix'],
      [awsAccount({ billing: { sasToken: 'x' } }), 'billing.sasToken'],
      [awsAccount({ regions: [] }), 'regions'],
      [awsAccount({ regions: ['../x'] }), 'regions.0'],
      [awsAccount({ surprise: 1 }), 'surprise'],
      // A name stands in the subject of mails.
      [awsAccount({ name: 'a\nb' }), 'name'],
      [awsAccount({ name: ' ' }), 'name'],
      [awsAccount({ provider: 'oci' }), 'provider'],
      [awsAccount({ syncIntervalMinutes: 1 }), 'syncIntervalMinutes'],
    ]
    for (const [body, field] of wrong) {
      const answer = await user.post(path, body)
      expect([answer.statusCode, answer.json().details?.[0]?.path], JSON.stringify(body)).toEqual([
        400,
        field,
      ])
      expect(answer.body).not.toContain(secretAccessKey)
    }
    expect((await user.get(path)).json().accounts).toEqual([])
  })

  test('400: another external id than the organization’s own is refused, its own may be repeated', async () => {
    const [org, other] = [await harness.organization(), await harness.organization()]
    const [user, stranger] = [await org.user('Owner'), await other.user('Owner')]
    const { account } = (await user.post(path, awsAccount())).json()
    const theirs = (await stranger.post(path, awsAccount())).json().account
    expect(account.externalId).toMatch(/^cc-[0-9a-f-]{36}$/)
    expect(theirs.externalId).not.toBe(account.externalId)
    const again = await user.post(path, awsAccount({ externalId: account.externalId }))
    expect(again.json().account.externalId).toBe(account.externalId)
    for (const externalId of [theirs.externalId, 'mine'])
      expect((await user.post(path, awsAccount({ externalId }))).json()).toMatchObject({
        code: 'invalid',
        details: [{ path: 'externalId' }],
      })
    const change = await user.patch(`${path}/${account.id}`, { externalId: theirs.externalId })
    expect(change.statusCode).toBe(400)
  })

  test('a host that is not the cloud’s own receives no token and no stored secret', async () => {
    const user = await (await harness.organization()).user('SRE · Cloud Admin')
    const endpoint = 'https://example.com'
    const refused = async (body: Record<string, unknown>, field: string) => {
      const answer = await user.post(path, body)
      expect([answer.statusCode, answer.json().details?.[0]?.path]).toEqual([400, field])
    }
    await refused(awsAccount({ endpoint }), 'endpoint')
    await refused(azureAccount({ endpoints: { resources: endpoint } }), 'endpoints.resources')
    await refused(googleAccount({ endpoints: { identity: endpoint } }), 'endpoints.identity')

    const credentials = { serviceAccountKey: serviceAccountKey() }
    const made = (await user.post(path, googleAccount({ credentials }))).json().account
    const moved = await user.patch(`${path}/${made.id}`, { endpoint })
    expect([moved.statusCode, moved.json().details?.[0]?.path]).toEqual([400, 'credentials'])
    const whole = await user.patch(`${path}/${made.id}`, { endpoint, credentials })
    expect([whole.statusCode, whole.json().account?.endpoint]).toEqual([200, endpoint])
    // The address of the bills receives the token too.
    const bill = { bucket: 'bills', prefix: 'focus', endpoint: 'https://bills.example.com' }
    await refused(googleAccount({ billing: bill }), 'billing.endpoint')
    const billed = await user.patch(`${path}/${made.id}`, { billing: bill })
    expect([billed.statusCode, billed.json().details?.[0]?.path]).toEqual([400, 'credentials'])
    const container = { storageAccount: 'bills', container: 'focus', directory: '' }
    const connectionString = 'BlobEndpoint=https://bills.example.com'
    await refused(
      azureAccount({ billing: { ...container, connectionString } }),
      'billing.connectionString',
    )
    // It has been named with its secret, so other changes need not send that again.
    expect((await user.patch(`${path}/${made.id}`, { name: 'Renamed' })).statusCode).toBe(200)
  })

  test('400 address_not_allowed: an endpoint on loopback, metadata or a private network', async () => {
    const user = await (await harness.organization()).user('Owner')
    const refused: Array<[Record<string, unknown>, string]> = [
      [{ endpoint: 'https://127.0.0.1' }, 'endpoint'],
      [{ endpoint: 'http://127.0.0.1:5001' }, 'endpoint'],
      [{ endpoint: 'https://localhost' }, 'endpoint'],
      [{ endpoint: 'http://169.254.169.254/latest' }, 'endpoint'],
      [{ endpoint: 'https://[::1]' }, 'endpoint'],
      [{ endpoints: { identity: 'https://10.0.0.1' } }, 'endpoints.identity'],
      // Opened for another use.
      [{ endpoints: { storage: 'http://127.0.0.1:5000' } }, 'endpoints.storage'],
      [{ endpoints: { resources: 'http://127.0.0.1:9000' } }, 'endpoints.resources'],
    ]
    for (const [fields, field] of refused) {
      const answer = await user.post(path, awsAccount(fields))
      expect([answer.statusCode, answer.json()], JSON.stringify(fields)).toMatchObject([
        400,
        { code: 'address_not_allowed', details: [{ path: field }] },
      ])
    }
    for (const endpoint of [
      'ftp://x.example',
      'not a url',
      'https://u:p@1.1.1.1',
      'http://1.1.1.1',
    ])
      expect((await user.post(path, awsAccount({ endpoint }))).json()).toMatchObject({
        code: 'invalid',
        details: [{ path: 'endpoint' }],
      })
    const opened = await user.post(
      path,
      awsAccount({
        endpoint: 'http://127.0.0.1:5000',
        endpoints: { storage: 'http://127.0.0.1:9000' },
      }),
    )
    expect([opened.statusCode, opened.json().account?.endpoint]).toEqual([
      201,
      'http://127.0.0.1:5000',
    ])
  })

  test('409: an account is connected once an organization, and another organization learns nothing', async () => {
    const user = await (await harness.organization()).user('Owner')
    const stranger = await (await harness.organization()).user('Owner')
    const body = azureAccount()
    const { account } = (await user.post(path, body)).json()
    const again = await user.post(path, { ...body, accountId: body.accountId.toUpperCase() })
    expect([again.statusCode, again.json()]).toMatchObject([
      409,
      { code: 'account_already_connected', existingId: account.id },
    ])
    expect((await stranger.post(path, body)).statusCode).toBe(201)
  })

  test('403: who may not manage accounts is audited as cloud.rbac_denied', async () => {
    const org = await harness.organization()
    const { account } = (await (await org.user('Owner')).post(path, awsAccount())).json()
    const deployer = await org.user('Deployer')
    const tries = [
      await deployer.post(path, awsAccount()),
      await deployer.patch(`${path}/${account.id}`, { name: 'x' }),
      await deployer.delete(`${path}/${account.id}`),
    ]
    expect(tries.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
    const denied = (await events(org)).filter(({ event }) => event === 'cloud.rbac_denied')
    expect(denied).toHaveLength(3)
    expect((await deployer.get(path)).statusCode).toBe(200)
  })

  test('201: the same Idempotency-Key gives the first answer, another body 409', async () => {
    const user = await (await harness.organization()).user('Owner')
    const body = awsAccount({ credentials: awsKeys() })
    const headers = { 'idempotency-key': 'connect-1' }
    const first = await user.post(path, body, { headers })
    const second = await user.post(path, body, { headers })
    expect([second.statusCode, second.json()]).toEqual([201, first.json()])
    const other = await user.post(path, awsAccount(), { headers })
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
  })

  test('200: PATCH replaces credentials whole and asks for a new validation; a name does not', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const { account } = (await user.post(path, awsAccount())).json()
    const url = `${path}/${account.id}`
    const setStatus = async (status: string) =>
      harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant).db('cloud_accounts').where({ id: account.id }).update({ status }),
      )
    await setStatus('healthy')
    const renamed = (await user.patch(url, { name: 'Renamed' })).json().account
    expect(renamed).toMatchObject({ name: 'Renamed', status: 'healthy' })
    const syncs = async () => (await user.get(`${url}/syncs`)).json().syncs
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('cloud_syncs').update({ state: 'succeeded', endedAt: new Date() }),
    )
    expect(await syncs()).toHaveLength(1)
    const keys = awsKeys()
    const replaced = (await user.patch(url, { credentials: keys, regions: ['eu-west-1'] })).json()
    expect(replaced.account).toMatchObject({
      credentialsKind: 'keys',
      status: 'pending',
      regions: ['eu-west-1'],
    })
    expect(await syncs()).toMatchObject([
      { trigger: 'connect', state: 'running' },
      { trigger: 'connect', state: 'succeeded' },
    ])
    expect((await user.patch(url, { provider: 'gcp' })).statusCode).toBe(400)
    expect((await user.patch(url, { accountId: '123456789012' })).statusCode).toBe(400)
    const azure = { tenantId: crypto.randomUUID(), clientId: crypto.randomUUID() }
    expect((await user.patch(url, { credentials: azure })).json().details[0].path).toBe(
      'credentials.tenantId',
    )
    const last = (await events(org)).at(-1)
    expect(last).toMatchObject({
      event: 'cloud.account_updated',
      detail: { replaced: ['credentials'], credentialsKind: { from: 'federation', to: 'keys' } },
    })
    expect(JSON.stringify(last)).not.toContain(keys.secretAccessKey)
  })
})
