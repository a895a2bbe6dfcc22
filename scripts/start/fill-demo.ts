import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import pino from 'pino'
import type { Deps } from '../../api/deps.ts'
import { createPipeline } from '../../api/pipelines/create-pipeline.ts'
import { decideRun } from '../../api/runs/decide-run.ts'
import { startRun } from '../../api/runs/start-run.ts'
import { inviteUser } from '../../api/users/invite-user.ts'
import { createVariable } from '../../api/workspaces/create-variable.ts'
import { createWorkspace } from '../../api/workspaces/create-workspace.ts'
import { readFiles } from '../../domain/workspaces/read-configuration-body.ts'
import { putConfiguration } from '../../api/workspaces/put-configuration.ts'
import type { Config } from '../../config.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { isTerminal } from '../../domain/runs/run-state.ts'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { openArtifactStore } from '../../gateways/artifacts/open-artifact-store.ts'
import { createKeyring } from '../../gateways/keyring/keyring.ts'
import { createOutbound } from '../../gateways/outbound/outbound.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { createEngineHealth } from '../../gateways/temporal/engine-health.ts'
import { connectStore } from '../../store/driver/connect.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { waitingForApproval } from '../../store/runs/waiting-for-approval.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { listedWorkspaces } from '../../store/workspaces/listed-workspaces.ts'
import { dateBackComment } from './demo-cost/date-back-run.ts'
import { fillOtherClouds, fillShopsCloud } from './demo-cost/fill-demo-cost.ts'
import { demoAnchor, hasOwnBills } from './demo-cost/upload-demo-bills.ts'
import { demoPeople } from './demo-people.ts'
import { demoWorkspaces, type DemoWorkspace } from './demo-workspaces.ts'
import { taskQueues } from '../../workflows/platform/contract.ts'

type Options = { config: Config; say: (line: string) => void; signal: AbortSignal }

/**
 * `npm start -- --demo`: creates workspaces, a pipeline and runs with the API's use cases. Idempotent:
 * it creates only missing things, continues after an interrupted start, and overwrites nothing that a
 * person has changed.
 */
export async function fillDemo({ config, say, signal }: Options): Promise<void> {
  const store = connectStore(databaseLogins(config), 2)
  const connection = Connection.lazy(connectionOptions(config))
  const deps: Deps = {
    config,
    store,
    keyring: createKeyring(config.keyring),
    outbound: createOutbound(config),
    artifacts: openArtifactStore(config),
    engine: createEngineHealth(connection, config.temporal.namespace, taskQueues),
    // Placeholders: no use case below checks a policy or formats a file, and the end of an ingest is polled.
    policies: { check: async () => [], close: async () => undefined },
    formatter: { format: async (text) => ({ ok: true, text }), close: async () => undefined },
    changes: { on: () => () => undefined, close: async () => undefined },
    log: pino({ level: 'silent' }),
  }
  try {
    const people = await demoPeople(deps, async (owner, person) => inviteUser(deps, owner, person))
    if (!people)
      return say(`demo: there is no organization ${config.bootstrap.organization} with an Owner`)
    await fill(deps, people, { say, signal })
  } finally {
    await Promise.all([store.close(), connection.close()])
  }
}

type People = NonNullable<Awaited<ReturnType<typeof demoPeople>>>

async function fill(
  deps: Deps,
  { owner, author }: People,
  { say, signal }: Pick<Options, 'say' | 'signal'>,
): Promise<void> {
  const cost = await costToMakeUp(deps, owner, signal)
  if (!cost)
    say(
      'demo: this organization has bills or cloud accounts of its own, so it gets no invented cost',
    )
  // Both at once: runs wait for their steps most of the time.
  const failure = new AbortController()
  const bills = cost
    ? fillOtherClouds(deps, { ...cost, signal: AbortSignal.any([signal, failure.signal]) })
    : Promise.resolve()
  bills.catch(() => undefined)
  try {
    for (const demo of demoWorkspaces) {
      const place = await makeWorkspace(deps, author, demo)
      if (demo.pipeline !== undefined)
        await makePipeline(deps, author, { ...place, name: demo.pipeline })
      const comment =
        demo.isCause && cost ? dateBackComment(cost.anchor) : 'The first plan of the demo.'
      await makeRuns(deps, { ...place, demo, owner, author, signal, comment })
      say(`demo: ${demo.name} is there`)
      if (await awaitsApproval(deps, author, place.workspaceId))
        say(
          `demo: a run of ${author.email} waits for your approval (its author may not approve it)`,
        )
      if (demo.isCause && cost) await fillShopsCloud(deps, cost, place.workspaceId)
    }
    await bills
  } catch (error) {
    failure.abort()
    await bills.catch(() => undefined)
    throw error
  }
  if (cost) say('demo: a year of cost is there, see Cost in the console')
}

/** Undefined where real money would be mixed with the demo's. */
async function costToMakeUp(deps: Deps, owner: Caller, signal: AbortSignal) {
  if (await hasOwnBills(deps, owner)) return undefined
  const anchor = await demoAnchor(deps, owner)
  return { owner, anchor, today: new Date().toISOString().slice(0, 10), signal }
}

type Place = { workspaceId: number; pipelineId: number }

async function makeWorkspace(deps: Deps, author: Caller, demo: DemoWorkspace): Promise<Place> {
  const { organizationId } = author
  const { name, criticality, files } = demo
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const all = await listedWorkspaces(
      tenant,
      {},
      { limit: 1_000, order: 'id', isDescending: false },
    )
    return all.find((workspace) => workspace.name === name)
  })
  const { id } = found ?? (await createWorkspace(deps, author, { name, criticality }))
  const [managed, version] = await deps.store.tenant(organizationId, async (tenant) => [
    await pipelines(tenant).managedOf(id),
    await configurationVersions(tenant).newest(id),
  ])
  if (!version) await putConfiguration(deps, author, { id, files: readFiles(files) })
  return { workspaceId: id, pipelineId: managed.id }
}

async function makePipeline(
  deps: Deps,
  author: Caller,
  { workspaceId, name }: Place & { name: string },
): Promise<void> {
  const { organizationId } = author
  const all = await deps.store.tenant(organizationId, async (tenant) =>
    pipelines(tenant).list(1_000, 0),
  )
  if (all.some((pipeline) => pipeline.name === name)) return
  await createPipeline(deps, author, {
    name,
    kind: 'infrastructure',
    targetWorkspaceId: workspaceId,
  })
}

type Making = Place & {
  demo: DemoWorkspace
  owner: Caller
  author: Caller
  signal: AbortSignal
  /** With which the first run is approved. */
  comment: string
}

/** Makes two runs. The Owner approves the first if necessary. The second ends, or waits for an approval. */
async function makeRuns(deps: Deps, making: Making): Promise<void> {
  const { workspaceId, pipelineId, demo, owner, author, signal, comment } = making
  const { organizationId } = author
  const target = { workspaceId }
  const runs = async () =>
    deps.store.tenant(organizationId, async (tenant) => {
      const found = await workspaceRuns(tenant).idsOf(workspaceId, 2, 2_147_483_647)
      return Promise.all(found.map(async ({ id }) => workspaceRuns(tenant).get(id)))
    })
  const settled = async (): Promise<WorkspaceRun | undefined> => {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(300)) {
      signal.throwIfAborted()
      const [run] = await runs()
      if (run && (isTerminal(run.phase) || run.phase === 'awaiting_approval')) return run
    }
    throw new Error(`the run of ${demo.name} does not end`)
  }

  if ((await runs()).length === 0) await startRun(deps, author, { target, kind: 'apply' })
  if ((await runs()).length > 1) return
  const first = await settled()
  if (first?.phase === 'awaiting_approval') {
    const [run] = await deps.store.tenant(organizationId, async (tenant) =>
      pipelineRuns(tenant).ofWorkspaceRuns([first.id]),
    )
    if (!run) throw new Error('the run is in no pipeline')
    await decideRun(deps, owner, {
      place: async (tenant) => pipelineRuns(tenant).get(pipelineId, run.id),
      decision: 'approved',
      comment,
    })
    while (!isTerminal((await settled())?.phase ?? 'queued')) await sleep(300)
  }
  if (demo.variable)
    await createVariable(deps, author, { id: workspaceId, variable: demo.variable })
  await startRun(deps, author, { target, kind: 'apply' })
  await settled()
}

const awaitsApproval = async ({ store }: Deps, { organizationId }: Caller, workspaceId: number) =>
  store.tenant(organizationId, async (tenant) => {
    const waiting = await waitingForApproval(tenant, [workspaceId])
    return waiting.length > 0
  })

const patienceMs = 180_000
