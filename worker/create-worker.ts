import { join } from 'node:path'
import { Client, Connection, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client'
import type { DataConverter } from '@temporalio/common'
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { BuildDeps, Deps } from '../activities/deps.ts'
import type { ArtifactStore } from '../gateways/artifacts/artifact-store.ts'
import { artifactFolder } from '../gateways/artifacts/folder.ts'
import { openAccount } from '../app/clouds/open-account.ts'
import { createBillPlaces, placesOfReader } from '../activities/finops/bill-places.ts'
import { cloudSlots } from '../activities/clouds/cloud-step.ts'
import { createActivities } from '../activities/index.ts'
import {
  createSlotShares,
  type RunOfSlot,
  type SlotShares,
} from '../activities/runs/slot-shares.ts'
import type { Config } from '../config.ts'
import { unavailable } from '../domain/errors.ts'
import type { BillReader } from '../gateways/duckdb/create-bill-reader.ts'
import type { Keyring } from '../gateways/keyring/keyring.ts'
import type { Mailer } from '../gateways/mail/mailer.ts'
import type { Outbound } from '../gateways/outbound/outbound.ts'
import { runnersFor } from '../gateways/runner/runners-for.ts'
import type { Sandbox } from '../gateways/sandbox/workbench.ts'
import { connectionOptions } from '../gateways/temporal/connection-options.ts'
import { workerIdentity } from '../gateways/temporal/engine-health.ts'
import { payloadAuthentication } from '../gateways/temporal/payload-authentication.ts'
import type { Store } from '../store/driver/connect.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'
import { severalActive } from '../store/platform/organizations.ts'
import { decidedSignal } from '../domain/runs/decided-signal.ts'
import { infrastructureRunId } from '../workflows/infrastructure/contract.ts'
import { applicationRunId } from '../workflows/pipelines/contract.ts'
import {
  billingQueue,
  buildQueue,
  cloudQueue,
  controlQueue,
  tofuQueue,
} from '../workflows/platform/contract.ts'
import { dropUnmarked } from './drop-unmarked.ts'
import { removeSchedules } from './remove-schedules.ts'
import { startOutboxRelay } from './outbox-relay.ts'
import { startMailRelay } from './mail-relay.ts'
import { startNotificationRelay } from './notification-relay.ts'
import { recurringTasks } from './recurring-tasks.ts'
import { startTasks } from './run-tasks.ts'

export type WorkerDeps = {
  config: Config
  store: Store
  keyring: Keyring
  outbound: Outbound
  sandbox: Sandbox
  /** The sandbox of builds. */
  builds: Sandbox
  bills: BillReader
  artifacts: ArtifactStore
  mail: Mailer
  changes: ChangeFeed
  log: Logger
  name: string
  engineVersion: string
  cliConfig: string | undefined
  workflowBundle: WorkflowBundleOption
}

export type RunningWorker = {
  /** The number of plans and applies that this worker is running. */
  inHand(): number
  metrics: Registry
  /** Rejects when a worker breaks; resolves once all have stopped. */
  finished: Promise<void>
  stop(): Promise<void>
}

/** Added to a stopping worker's grace period: 10 s to end a program, 5 s to record its end. */
export const interruptSeconds = 15

/** Starts the Temporal workers of all queues, the relays of outbox and mail, and the recurring tasks. */
export async function createWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { config, store, keyring, mail, changes, log } = deps
  const codec = payloadAuthentication(keyring)
  const dataConverter: DataConverter = { payloadCodecs: [dropUnmarked(codec, log)] }
  const { namespace } = config.temporal
  const connection = await NativeConnection.connect(connectionOptions(config))
  const clientConnection = await Connection.connect(connectionOptions(config))
  const client = new Client({
    connection: clientConnection,
    namespace,
    dataConverter: { payloadCodecs: [codec] },
  })

  const stopping = new AbortController()
  const runners = runnersFor(config, deps.sandbox)
  const publicOrigin = config.baseUrl ?? new URL(config.apiUrl).origin
  const accountDeps = {
    store,
    keyring,
    outbound: deps.outbound,
    awsIdentity: config.awsIdentity,
    issuerOrigin: config.oidcIssuer ?? publicOrigin,
  }
  const billBytes = config.billGibibytes * 1024 ** 3
  const activityDeps: Deps = {
    store,
    keyring,
    outbound: deps.outbound,
    openCloud: async (account, run) => openAccount(accountDeps, account, run),
    publicOrigin,
    sandbox: deps.sandbox,
    runners,
    planJsonBytes: config.planJsonMaxMb * 1024 ** 2,
    billingDir: config.billingDir,
    readBills: deps.bills.readBills,
    billBytes,
    billPlaces: createBillPlaces({ readers: config.billingSlots, billBytes }),
    builds: buildDeps(deps, client),
    changes,
    log,
    worker: deps.name,
    engineVersion: deps.engineVersion,
    cliConfig: deps.cliConfig,
    stopping: stopping.signal,
    slotShares: slotSharesOf(deps, client, {
      slots: config.tofuSlots,
      workflowId: ({ organizationId, id }) =>
        infrastructureRunId({ organizationId, workspaceRunId: id }),
    }),
    workflowState: async (workflowId) => workflowState(client, workflowId),
  }
  const activities = createActivities(activityDeps)
  const common = {
    connection,
    namespace,
    dataConverter,
    identity: workerIdentity(deps.name, deps.sandbox.memoryLimit),
  } as const
  const control = await Worker.create({
    ...common,
    taskQueue: controlQueue,
    workflowBundle: deps.workflowBundle,
    activities: activities.control,
    maxCachedWorkflows: 200,
    maxConcurrentActivityTaskExecutions: 50,
    shutdownGraceTime: '5 seconds',
    shutdownForceTime: '15 seconds',
  })
  const tofu = await Worker.create({
    ...common,
    taskQueue: tofuQueue,
    activities: activities.tofu,
    maxConcurrentActivityTaskExecutions: config.tofuSlots,
    // Applies get time to finish: an interrupted one may have changed resources that its state lacks.
    shutdownGraceTime: `${config.shutdownGraceSeconds} seconds`,
    // Then the rest is interrupted and recorded. The reconciler finds runs that were not recorded.
    shutdownForceTime: `${config.shutdownGraceSeconds + interruptSeconds} seconds`,
  })
  const cloud = await Worker.create({
    ...common,
    taskQueue: cloudQueue,
    activities: activities.cloud,
    maxConcurrentActivityTaskExecutions: cloudSlots,
    shutdownGraceTime: '1 second',
    shutdownForceTime: '15 seconds',
  })
  const billing = await Worker.create({
    ...common,
    taskQueue: billingQueue,
    activities: activities.billing,
    // Most of them wait for a storage, or for a reader.
    maxConcurrentActivityTaskExecutions: config.billingSlots * placesOfReader,
    shutdownGraceTime: '1 second',
    shutdownForceTime: '15 seconds',
  })
  const build = await Worker.create({
    ...common,
    taskQueue: buildQueue,
    activities: activities.build,
    maxConcurrentActivityTaskExecutions: config.buildSlots,
    shutdownGraceTime: '1 second',
    shutdownForceTime: '15 seconds',
  })
  const workers = [control, tofu, cloud, billing, build]
  await removeSchedules(client)

  const metrics = new Registry()

  const helpers = [
    startOutboxRelay({ client, store, changes, log }),
    startMailRelay({ config, store, mail, changes, log }),
    startNotificationRelay({ config, store, keyring, outbound: deps.outbound, changes, log }),
    startTasks(recurringTasks(config, activityDeps), { registry: metrics, log }),
  ]
  const finished = Promise.all(workers.map(async (worker) => worker.run())).then(() => undefined)
  return {
    metrics,
    inHand: () => tofu.getStatus().numInFlightActivities,
    finished,
    async stop() {
      stopping.abort()
      await Promise.all(helpers.map(async (helper) => helper.stop()))
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await finished.catch(() => undefined)
      await Promise.all([connection.close(), clientConnection.close(), runners.close()])
    },
  }
}

const buildDeps = (deps: WorkerDeps, client: Client): BuildDeps => ({
  sandbox: deps.builds,
  folderBytes: 10 * 1024 ** 3,
  limits: {
    memoryBytes: deps.config.buildMemoryMb * 1024 ** 2,
    silenceMs: 10 * 60_000,
    processes: 2_048,
    fileSizeBytes: 10 * 1024 ** 3,
    printedBytes: 2 * 1024 ** 3,
  },
  tools: deps.config.buildTools,
  artifacts: deps.artifacts,
  caches: artifactFolder(join(deps.config.artifactDir, 'caches')),
  describes: deps.config.syftBin !== undefined,
  slotShares: slotSharesOf(deps, client, {
    slots: deps.config.buildSlots,
    workflowId: ({ organizationId, id }) => applicationRunId({ organizationId, pipelineRunId: id }),
  }),
  incomingDir: join(deps.config.artifactDir, 'parts'),
})

function slotSharesOf(
  { store, log }: WorkerDeps,
  client: Client,
  { slots, workflowId }: { slots: number; workflowId: (run: RunOfSlot) => string },
): SlotShares {
  return createSlotShares({
    slots,
    hasOthers: async () => severalActive(store),
    wake(run) {
      const handle = client.workflow.getHandle(workflowId(run))
      handle
        .signal(decidedSignal)
        .catch((error: unknown) =>
          log.debug({ err: error, ...run }, 'the signal to a waiting run failed'),
        )
    },
  })
}

/** gRPC's status code UNAVAILABLE. */
const grpcUnavailable = 14

/** Uses `describe`: Temporal's list is eventually consistent. */
async function workflowState(
  client: Client,
  workflowId: string,
): Promise<'running' | 'closed' | 'missing'> {
  try {
    const description = await client.withDeadline(Date.now() + 5_000, async () =>
      client.workflow.getHandle(workflowId).describe(),
    )
    return description.status.name === 'RUNNING' ? 'running' : 'closed'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'missing'
    // What fails for one workflow alone must not end the pass over the others.
    if (!isGrpcServiceError(error)) throw error
    const { code }: { code: number } = error
    if (code !== grpcUnavailable) throw error
    throw unavailable('temporal_unavailable', 'Temporal does not answer.', error)
  }
}
