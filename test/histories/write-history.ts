import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { payloadAuthentication } from '../../gateways/temporal/payload-authentication.ts'
import type { Harness } from '../harness/create-harness.ts'
import type { RecordedHistory } from './recorded-history.ts'

/** A client that marks what it sends, as the service's own does. */
export async function historyClient({ config, deps }: Harness): Promise<Client> {
  return new Client({
    connection: await Connection.connect(connectionOptions(config)),
    namespace: config.temporal.namespace,
    dataConverter: { payloadCodecs: [payloadAuthentication(deps.keyring)] },
  })
}

/** Writes a workflow's history once the workflow is over. */
export async function writeHistory(client: Client, name: string, workflowId: string) {
  const handle = client.workflow.getHandle(workflowId)
  while ((await handle.describe()).status.name === 'RUNNING') await sleep(50)
  // By its own toJSON: historyToJSON of the SDK wants the type of another copy of protobufjs than
  // the one that npm gives it here (`type must be a Type`), as grpc's older one is hoisted.
  const history = JSON.parse(JSON.stringify(await handle.fetchHistory())) as object
  const recorded: RecordedHistory = { workflowId, history: neutral(history) }
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(recorded, null, 1)}\n`)
}

/** Without the names of this machine and of its workers: they say nothing about a workflow. */
function neutral(value: unknown): object {
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([key, one]) => [
        key,
        key === 'identity' || key === 'lastWorkerIdentity'
          ? 'worker'
          : key === 'stickyAttributes' || key === 'workerVersion'
            ? undefined
            : typeof one === 'object' && isStickyQueue(one)
              ? { name: 'control' }
              : walk(one),
      ]),
    )
  }
  // An object stays an object.
  return walk(value) as object
}

/** A worker's own queue has its host's name in it. */
const isStickyQueue = (value: object | null): boolean =>
  value !== null && 'kind' in value && value.kind === 'TASK_QUEUE_KIND_STICKY'
