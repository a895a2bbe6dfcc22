import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Deps } from '../deps.ts'

/** §decisions 1: the process, and what it stands on. */
export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const Part = Type.Object({ ok: Type.Boolean(), detail: Type.Optional(Type.String()) })
  const Ready = Type.Object({
    ok: Type.Boolean(),
    database: Part,
    engine: Part,
    keyring: Part,
    sandbox: Type.Object({ kind: Type.String() }),
  })

  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: { operationId: 'getHealth', response: { 200: Type.Object({ ok: Type.Boolean() }) } },
    },
    async () => ({ ok: true }),
  )

  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: { operationId: 'getReadiness', response: { 200: Ready, 503: Ready } },
    },
    async (_request, reply) => {
      const [database, engine] = await Promise.all([
        check(async () => app.deps.store.platform.raw('select 1 from schema_migrations limit 1')),
        check(async () => app.deps.engine.assertReachable()),
      ])
      const keyring = { ok: app.deps.keyring.keyIds().length > 0 }
      const ok = database.ok && engine.ok && keyring.ok
      return reply
        .status(ok ? 200 : 503)
        .send({ ok, database, engine, keyring, sandbox: sandboxOf(app.deps) })
    },
  )
}

const sandboxOf = ({ config }: Deps) => ({ kind: config.sandbox })

/** The driver's own words stay in the log: a probe is answered to anybody. */
async function check(probe: () => Promise<unknown>): Promise<{ ok: boolean; detail?: string }> {
  try {
    await probe()
    return { ok: true }
  } catch {
    return { ok: false, detail: 'cannot be reached' }
  }
}
