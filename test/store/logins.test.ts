import { unwrap } from '../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig, Secret, type Config } from '../../config.ts'
import { databaseLogins, type DatabaseLogins } from '../../gateways/keyring/database-logins.ts'
import { assertLogin } from '../../store/assert-login.ts'
import { connectOwner, connectStore } from '../../store/driver/connect.ts'
import { ensureLogins } from '../../store/ensure-logins.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

describe('what the pools log in as', () => {
  let harness: Harness
  let org: TestOrganization
  let logins: DatabaseLogins
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    logins = databaseLogins(harness.config)
  })
  afterAll(async () => harness.close())

  const asOwner = async (sql: string) => {
    const owner = connectOwner(harness.config.databaseUrl)
    try {
      return (await owner.raw(sql)).rows
    } finally {
      await owner.destroy()
    }
  }
  const connectsAs = async (url: Secret) => {
    const client = new Client({ connectionString: url.reveal() })
    try {
      await client.connect()
      return (await client.query('select session_user as name')).rows[0].name
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  test.each([
    ['reset role', 'select count(*) from users'],
    ['reset role', 'select count(*) from audit_entries'],
    ['reset role', 'alter table users disable row level security'],
    ['reset role', 'create table public.mine (id integer)'],
    ['reset role', 'set local role cc_platform'],
    ['reset role', 'set local role cloud_control_owner'],
    ['set session authorization default', 'select count(*) from users'],
    ['set local role cc_platform', 'select count(*) from sign_in_failures'],
  ])('the application’s connection gains nothing by: %s; %s', async (escape, then) => {
    const owner = new URL(harness.config.databaseUrl.reveal()).username
    const attack = harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)

      await db.raw(escape)
      await db.raw(then.replace('cloud_control_owner', `"${owner}"`))
    })
    await expect(attack).rejects.toThrow(/permission denied|must be owner/)
  })

  test('the platform’s connection does not become the owner either', async () => {
    const { platform } = harness.deps.store
    const attack = platform.transaction(async (trx) => {
      await trx.raw('reset role')
      await trx.raw('select count(*) from users')
    })
    await expect(attack).rejects.toThrow(/permission denied/)
  })

  test('another organization’s rows stay out of reach on the connection that was reset', async () => {
    const other = await harness.organization()
    const attack = harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)

      await db.raw('reset role')
      return db.raw(`select * from users where organization_id = ${other.id}`)
    })
    await expect(attack).rejects.toThrow(/permission denied/)
  })

  test('neither is strong, owns anything, or is member of another role', async () => {
    await assertLogin('cc_app', logins.cc_app)
    await assertLogin('cc_platform', logins.cc_platform)
    const { databaseUrl } = harness.config
    // The owner's own URL, as an operator might set it in their haste.
    await expect(assertLogin('cc_app', { url: databaseUrl })).rejects.toThrow(
      /CC_DATABASE_APP_URL is SUPERUSER, BYPASSRLS or CREATEROLE/,
    )
    await expect(assertLogin('cc_app', { url: logins.cc_platform.url })).rejects.toThrow(
      /CC_DATABASE_APP_URL is no member of cc_app/,
    )
    const both = logins.cc_app.made?.name ?? ''
    await asOwner(`grant cc_platform to ${both}`)
    await expect(assertLogin('cc_app', logins.cc_app)).rejects.toThrow(
      /may become cc_platform, and may become cc_app alone/,
    )
    await asOwner(`revoke cc_platform from ${both}`)
    await assertLogin('cc_app', logins.cc_app)
  })

  test('several starts at once, and a changed password, end in logins that work', async () => {
    const { name = '' } = logins.cc_app.made ?? {}
    await asOwner(`alter role ${name} password 'another'`)
    await expect(connectsAs(logins.cc_app.url)).rejects.toThrow(/password authentication failed/)
    await expect(assertLogin('cc_app', logins.cc_app)).rejects.toThrow(/cannot log in/)
    const owner = connectOwner(harness.config.databaseUrl)
    try {
      await Promise.all([1, 2, 3, 4].map(async () => ensureLogins(owner, logins)))
    } finally {
      await owner.destroy()
    }
    expect(await connectsAs(logins.cc_app.url)).toBe(name)
  })

  test('another keyring has other logins; those of a key that is gone are dropped once nobody uses them', async () => {
    const later = { ...harness.config, keyring: newKeyring(harness.config) }
    const next = databaseLogins(later)
    const names = [next.cc_app.made?.name ?? '', next.cc_platform.made?.name ?? '']
    const owner = connectOwner(harness.config.databaseUrl)
    const known = async () => {
      const { rows } = await owner.raw(
        'select rolname from pg_roles where rolname = any(?) order by 1',
        [names],
      )
      return rows.map(({ rolname }: { rolname: string }) => rolname)
    }
    try {
      await ensureLogins(owner, next)
      expect(await known()).toEqual(names)
      const store = connectStore(next, 1)
      await store.tenant(org.id, async (tenant) => unwrap(tenant).db.raw('select 1'))
      await ensureLogins(owner, logins)
      // The platform's has no connection of its own yet.
      expect(await known()).toEqual([names[0]])
      await store.close()
      await expect
        .poll(async () => {
          await ensureLogins(owner, logins)
          return known()
        })
        .toEqual([])
    } finally {
      await owner.destroy()
    }
  })

  test('the server takes the password that only its verifier was sent of', async () => {
    const { password } = logins.cc_platform.made ?? {}
    expect(password?.reveal()).toMatch(/^[\w-]{43}$/)
    expect(await connectsAs(logins.cc_platform.url)).toBe(logins.cc_platform.made?.name)
  })

  test('a role that may not make logins is told what to run', async () => {
    const { config } = harness
    const name = `weak_${randomBytes(4).toString('hex')}`
    await asOwner(`create role ${name} login password 'weak'`)
    const url = new URL(config.databaseUrl.reveal())
    url.username = name
    url.password = 'weak'
    const weak = connectOwner(new Secret(url.href))
    try {
      const next = databaseLogins({ ...config, keyring: newKeyring(config) })
      await expect(ensureLogins(weak, next)).rejects.toThrow(
        /create role cc_app_login login noinherit.*\n.*cc_platform_login.*\n.*CC_DATABASE_APP_URL/,
      )
    } finally {
      await weak.destroy()
      await asOwner(`drop role ${name}`)
    }
  })
})

const newKeyring = ({ keyring: [first] }: Config): Config['keyring'] => [
  { id: first?.id ?? '', key: new Secret(randomBytes(32).toString('base64')) },
]

test.each([
  [
    'postgres://owner:secret@db.example:5433/control?sslmode=require',
    /^postgres:\/\/cc_app_[0-9a-f]{16}:[\w-]{43}@db\.example:5433\/control\?sslmode=require$/,
  ],
  [
    'postgres://db.example/control?user=owner&password=secret',
    /^postgres:\/\/cc_app_[0-9a-f]{16}:[\w-]{43}@db\.example\/control$/,
  ],
  [
    'postgres:///control?host=/run/postgresql&user=owner',
    /^postgres:\/\/\/control\?host=%2Frun%2Fpostgresql&user=cc_app_[0-9a-f]{16}&password=[\w-]{43}$/,
  ],
])('of %s only the login changes', (url, expected) => {
  expect(databaseLogins(configOf(url)).cc_app.url.reveal()).toMatch(expected)
})

test('a URL without a database is a fault: it would be the one that is called as the login', () => {
  expect(() => configOf('postgres://owner:secret@db.example')).toThrow(/DATABASE_URL is not/)
})

const configOf = (url: string) =>
  readConfig({
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    CC_KEYRING: `test=${Buffer.alloc(32, 7).toString('base64')}`,
  })
