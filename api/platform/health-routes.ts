import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { newestSealed } from '../../store/platform/newest-sealed.ts'
import type { Deps } from '../deps.ts'

/** §decisions 1: the process, and what it stands on. */
export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const Part = Type.Object({ ok: Type.Boolean(), detail: Type.Optional(Type.String()) })
  const Ready = Type.Object({
    ok: Type.Boolean(),
    database: Part,
    engine: Part,
    keyring: Part,
    /** No part of `ok`: an API without a worker still answers, and runs wait. */
    workers: Type.Object({
      ok: Type.Boolean(),
      control: Type.Integer(),
      tofu: Type.Integer(),
      detail: Type.Optional(Type.String()),
    }),
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
      const { store, engine: workflows } = app.deps
      const [database, engine, keyring, workers] = await Promise.all([
        check(async () => store.platform.raw('select 1 from schema_migrations limit 1')),
        check(async () => workflows.assertReachable()),
        checkKeyring(app.deps),
        checkWorkers(app.deps),
      ])
      const ok = database.ok && engine.ok && keyring.ok
      return reply
        .status(ok ? 200 : 503)
        .send({ ok, database, engine, keyring, workers, sandbox: sandboxOf(app.deps) })
    },
  )
}

/** A keyring that lost a key would otherwise be noticed only by whoever needs what it sealed. */
async function checkKeyring({ keyring, store }: Deps): Promise<{ ok: boolean; detail?: string }> {
  if (keyring.keyIds().length === 0) return { ok: false, detail: 'has no key' }
  const sealed = await newestSealed(store.platform).catch(() => [])
  return sealed.every((value) => keyring.knows(value))
    ? { ok: true }
    : { ok: false, detail: 'lacks a key that the store is sealed with' }
}

/** Whether somebody asks for work: a worker that lives but polls nothing makes no run. */
async function checkWorkers({ engine }: Deps) {
  try {
    const { control, tofu } = await engine.pollers()
    const ok = control > 0 && tofu > 0
    return { ok, control, tofu, ...(!ok && { detail: 'no worker asks for work: runs wait' }) }
  } catch {
    return { ok: false, control: 0, tofu: 0, detail: 'the engine cannot be asked' }
  }
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
