import fastify from 'fastify'
import { Pool } from 'pg'
import { benchConfig } from './config.ts'

/**
 * The baseline of the API benches: Fastify and pg without the product's code. Each read route sends
 * one indexed query and answers JSON by a schema: one user by key, or 50 pipelines. The write route
 * creates a user and its audit entry in one transaction.
 */
const pool = new Pool({ connectionString: benchConfig.bareServer.databaseUrl, max: 10 })
const app = fastify()

const nullable = (type: string) => ({ type, nullable: true })
const time = { type: 'string', format: 'date-time' }
const person = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    organization_id: { type: 'integer' },
    email: nullable('string'),
    name: { type: 'string' },
    created_at: time,
  },
}
const pipeline = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    kind: { type: 'string' },
    managed: { type: 'boolean' },
    app_git_connection_id: nullable('integer'),
    app_repo: nullable('string'),
    target_workspace_id: nullable('integer'),
    strategy: nullable('string'),
    last_number: { type: 'integer' },
    created_at: time,
  },
}
const list = { type: 'object', properties: { pipelines: { type: 'array', items: pipeline } } }

// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- this is Fastify, which waits for them
app.get('/row/:id', { schema: { response: { 200: person } } }, async (request) => {
  // The path above declares `id`.
  const { id } = request.params as { id: string }
  const { rows } = await pool.query(
    'select id, organization_id, email, name, created_at from users where id = $1',
    [Number(id)],
  )
  return rows[0]
})
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- this is Fastify, which waits for them
app.get('/rows/:id', { schema: { response: { 200: list } } }, async (request) => {
  const { id } = request.params as { id: string }
  const { rows } = await pool.query(
    `select id, name, kind, managed, app_git_connection_id, app_repo, target_workspace_id, strategy,
       last_number, created_at
     from pipelines where organization_id = $1 and id > 0 order by id limit 50`,
    [Number(id)],
  )
  return { pipelines: rows }
})
type NewUser = { userName: string; externalId: string; displayName: string }
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- this is Fastify, which waits for them
app.post('/users', async (request, reply) => {
  const { userName, externalId, displayName, ...profile } = request.body as NewUser
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query(
      `insert into users (organization_id, user_name, external_id, email, name, profile)
       select id, $1, $2, $1, $3, $4 from organizations limit 1
       returning id, public_id, organization_id, user_name, external_id, email, name, profile, created_at`,
      [userName, externalId, displayName, JSON.stringify(profile)],
    )
    const [user] = rows
    const changes = JSON.stringify({ userName: { from: null, to: userName } })
    await client.query(
      `with audited as (
         insert into audit_entries (organization_id, event, outcome, actor_kind, actor_label, target_kind, target_id, target_label, detail)
         values ($1, 'scim.user_created', 'success', 'scim', 'bare', 'user', $2, $4, $5))
       insert into scim_log (organization_id, token_name, method, path, status, target_kind, target_id, target_label, changes, request_id)
       values ($1, 'bare', 'POST', '/users', 201, 'user', $3, $4, $5, $6)`,
      [user.organization_id, String(user.id), user.public_id, userName, changes, request.id],
    )
    await client.query('commit')
    return await reply.status(201).send(user)
  } finally {
    client.release()
  }
})
await app.listen({ host: '127.0.0.1', port: benchConfig.bareServer.port })
process.on('SIGTERM', () => process.exit(0))
