import fastify from 'fastify'
import { Pool } from 'pg'

/**
 * What the API is held against: Fastify and pg with nothing of ours. Each route does one indexed
 * query and answers JSON by a schema: one person by their key, or 50 of a table's pipelines.
 */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
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
  // Declared by the address above.
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
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
