import { randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import pino from 'pino'
import { createApp } from '../../../api/app.ts'
import type { Deps } from '../../../api/deps.ts'
import { readConfig, Secret } from '../../../config.ts'
import { newToken } from '../../../domain/access/credentials.ts'
import type { Role } from '../../../domain/access/roles.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { connectOwner, connectStore, type Db } from '../../../store/connect.ts'
import { migrate } from '../../../store/migrate.ts'
import { organizations } from '../../../store/platform/organizations.ts'
import { tokens } from '../../../store/tokens/tokens.ts'
import { users } from '../../../store/users/users.ts'
import { startTestEngines } from '../../setup/engines.ts'

export type Person = {
  id: number
  token: string
  call(method: string, path: string, body?: unknown, more?: InjectOptions): Promise<Answer>
}
// oxlint-disable-next-line no-explicit-any -- a test reads an answer's fields as they come
export type Answer = { status: number; body: Record<string, any>; text: string }
export type Organization = {
  id: number
  user(role: Role): Promise<Person>
  tenant<T>(work: (db: Db) => Promise<T>): Promise<T>
}
export type WorkspaceBench = {
  app: FastifyInstance
  deps: Deps
  organization(): Promise<Organization>
  close(): Promise<void>
}

/** The real HTTP stack on a real PostgreSQL, with the workflow engine left out: what is told to it stays in the outbox. */
export async function createWorkspaceBench(): Promise<WorkspaceBench> {
  const engines = await startTestEngines({ temporal: false })
  const config = readConfig({
    DATABASE_URL: engines.databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    CC_KEYRING: `test=${randomBytes(32).toString('base64')}`,
  })
  const owner = connectOwner(new Secret(engines.databaseUrl))
  await migrate(owner)
  const store = connectStore(config.databaseUrl, 10)
  const nobody = async () => undefined
  const deps: Deps = {
    config,
    store,
    keyring: createKeyring(config.keyring),
    mail: { send: nobody },
    engine: { assertReachable: nobody },
    policies: {} as unknown as Deps['policies'],
    changes: { on: () => () => undefined, close: nobody },
    log: pino({ level: process.env['CC_LOG_LEVEL'] ?? 'silent' }),
  }
  const app = await createApp(deps)
  await app.ready()

  return {
    app,
    deps,
    async organization() {
      const slug = `o${randomBytes(6).toString('hex')}`
      const { id } = await organizations(owner).create(slug, slug)
      return {
        id,
        tenant: async (work) => store.tenant(id, work),
        user: async (role) => person({ app, deps }, id, role),
      }
    },
    async close() {
      await app.close()
      await Promise.all([store.close(), owner.destroy()])
      await engines.stop()
    },
  }
}

async function person(
  { app, deps }: Pick<WorkspaceBench, 'app' | 'deps'>,
  organizationId: number,
  role: Role,
): Promise<Person> {
  const secret = newToken('pat')
  const email = `${randomBytes(5).toString('hex')}@test.example`
  const id = await deps.store.tenant(organizationId, async (db) => {
    const user = await users(db, organizationId).create({ email, name: email, role })
    await tokens(db, organizationId).createApiToken(user.id, {
      name: 'test',
      role,
      expiresInDays: 1,
      hash: secret.hash,
      prefix: secret.prefix,
    })
    return user.id
  })
  return {
    id,
    token: secret.plain,
    call: async (method, path, body, more = {}) =>
      call(app, {
        method,
        url: `/api${path}`,
        headers: { authorization: `Bearer ${secret.plain}`, ...more.headers },
        ...(body !== undefined && { payload: body as object }),
      }),
  }
}

/** One request, its answer read as JSON where it is JSON. */
export async function call(app: FastifyInstance, options: InjectOptions): Promise<Answer> {
  const response = await app.inject(options)
  const json = response.headers['content-type']?.includes('json') ?? false
  return {
    status: response.statusCode,
    text: response.body,
    body: json && response.body !== '' ? response.json() : {},
  }
}
