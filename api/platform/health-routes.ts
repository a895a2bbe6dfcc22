import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { newestSealed } from '../../store/platform/newest-sealed.ts'
import { probeDatabase } from '../../store/platform/probe-database.ts'
import type { Deps } from '../deps.ts'
import { checkArtifacts, type CheckedPart } from './check-artifacts.ts'

/** Liveness of the process, and readiness of what it depends on. */
export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const artifacts = checkArtifacts(app.deps)
  const ready = atMostOnceASecond(async () => readiness(app.deps, artifacts))
  const Part = Type.Object({ ok: Type.Boolean(), detail: Type.Optional(Type.String()) })
  const Ready = Type.Object({
    ok: Type.Boolean(),
    database: Part,
    engine: Part,
    keyring: Part,
    /** Not part of `ok`: all but builds and downloads of what they made works without it. */
    artifacts: Part,
    /** Not part of `ok`: without a worker the API still answers, and runs wait. */
    workers: Type.Object({
      ok: Type.Boolean(),
      control: Type.Integer(),
      tofu: Type.Integer(),
      detail: Type.Optional(Type.String()),
    }),
    /** What enforces the memory limit of runs: cgroups, or a watch in the worker. */
    sandbox: Type.Object({
      kind: Type.String(),
      memory: Type.Union([Type.Literal('cgroup'), Type.Literal('watch'), Type.Literal('unknown')]),
      detail: Type.Optional(Type.String()),
    }),
  })

  app.get(
    '/healthz',
    {
      // Load balancers and monitors probe with HEAD, too.
      exposeHeadRoute: true,
      config: { access: 'public' },
      schema: { operationId: 'getHealth', response: { 200: Type.Object({ ok: Type.Boolean() }) } },
    },
    async () => ({ ok: true }),
  )

  app.get(
    '/readyz',
    {
      exposeHeadRoute: true,
      config: { access: 'public' },
      schema: { operationId: 'getReadiness', response: { 200: Ready, 503: Ready } },
    },
    async (_request, reply) => {
      const answer = await ready()
      return reply.status(answer.ok ? 200 : 503).send(answer)
    },
  )
}

async function readiness(deps: Deps, checkStore: () => Promise<CheckedPart>) {
  const { store, engine: workflows } = deps
  const [database, engine, keyring, artifacts, { sandbox, ...workers }] = await Promise.all([
    check(async () => probeDatabase(store.platform)),
    check(async () => workflows.assertReachable()),
    checkKeyring(deps),
    checkStore(),
    checkWorkers(deps),
  ])
  const ok = database.ok && engine.ok && keyring.ok
  return { ok, database, engine, keyring, artifacts, workers, sandbox }
}

/** Anybody may send a probe, so what it asks is asked at most once a second, and by one request at a time. */
function atMostOnceASecond<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined
  let isAsking = false
  let askedAt = 0
  return () => {
    if (answer && (isAsking || performance.now() - askedAt < 1_000)) return answer
    isAsking = true
    askedAt = performance.now()
    answer = ask().finally(() => (isAsking = false))
    return answer
  }
}

/** Opens a sealed value of each kind, so that a missing key is noticed before somebody needs it. */
async function checkKeyring({ keyring, store }: Deps): Promise<{ ok: boolean; detail?: string }> {
  if (keyring.keyIds().length === 0) return { ok: false, detail: 'has no key' }
  const sealed = await newestSealed(store.platform).catch(() => [])
  return sealed.every((value) => keyring.knows(value))
    ? { ok: true }
    : { ok: false, detail: 'lacks a key that the store is sealed with' }
}

/** Whether workers poll for tasks: one that lives but does not poll runs nothing. */
async function checkWorkers({ engine, config }: Deps) {
  const { sandbox: kind } = config
  try {
    const { control, tofu, withoutCgroup } = await engine.pollers()
    const ok = control > 0 && tofu > 0
    const sandbox = { kind, ...memoryHeldBy({ kind, tofu, withoutCgroup }) }
    return {
      ok,
      control,
      tofu,
      ...(!ok && { detail: 'no worker asks for work: runs wait' }),
      sandbox,
    }
  } catch {
    const sandbox = { kind, memory: 'unknown' as const }
    return { ok: false, control: 0, tofu: 0, detail: 'the engine cannot be asked', sandbox }
  }
}

function memoryHeldBy({
  kind,
  tofu,
  withoutCgroup,
}: {
  kind: string
  tofu: number
  withoutCgroup: number
}) {
  if (tofu === 0) return { memory: 'unknown' as const }
  if (withoutCgroup === 0 && kind === 'bubblewrap') return { memory: 'cgroup' as const }
  const detail = `${withoutCgroup} of ${tofu} workers have no cgroup v2: a watch holds the memory of runs`
  return { memory: 'watch' as const, detail }
}

/** The driver's message goes to the log alone: anybody may send a probe. */
async function check(probe: () => Promise<unknown>): Promise<{ ok: boolean; detail?: string }> {
  try {
    await probe()
    return { ok: true }
  } catch {
    return { ok: false, detail: 'cannot be reached' }
  }
}
