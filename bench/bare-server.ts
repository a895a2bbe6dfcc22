import fastify from 'fastify'
import { Pool } from 'pg'

/** What the API is held against: Fastify and pg with nothing of ours, one row by its key. */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const app = fastify()
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- this is Fastify, which waits for them
app.get('/row/:id', async (request) => {
  // Declared by the address above.
  const { id } = request.params as { id: string }
  const { rows } = await pool.query(
    'select id, organization_id, email, name, created_at from users where id = $1',
    [Number(id)],
  )
  return rows[0]
})
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
