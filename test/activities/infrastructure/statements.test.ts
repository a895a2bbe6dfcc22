import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { createActivities } from '../../../activities/index.ts'
import { Secret } from '../../../config.ts'
import { databaseLogins } from '../../../gateways/keyring/database-logins.ts'
import { runnersFor } from '../../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { sandboxFor } from '../../../gateways/sandbox/sandbox-for.ts'
import type { OwnedSandbox } from '../../../gateways/sandbox/workbench.ts'
import { connectStore, type Store } from '../../../store/driver/connect.ts'
import type { RunStep } from '../../../workflows/infrastructure/contract.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { noBills } from '../../harness/finops/no-bills.ts'
import { noBuilds } from '../../harness/no-builds.ts'

const worker = 'worker'
/** Batches of log lines, looks for a cancel and heartbeats: a slow run has more of them. */
const byTheClock = /log_bytes|cancel_requested_at|beat_at/

let harness: Harness
let sandbox: OwnedSandbox
let runners: RunnerPool
let store: Store
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
  const { config, log } = harness.deps
  sandbox = await sandboxFor(config, log, { slots: 2, programs: ['tofu', 'opa', 'sh'] })
  runners = runnersFor(config, sandbox)
  // The API writes the run's state in this process too. Its connections have another name.
  const { cc_app: app, cc_platform: platform } = databaseLogins(config)
  const named = <L extends { url: Secret }>(login: L): L => {
    const url = new URL(login.url.reveal())
    url.searchParams.set('application_name', worker)
    return { ...login, url: new Secret(url.href) }
  }
  store = connectStore({ cc_app: named(app), cc_platform: named(platform) }, 4)
})
afterAll(async () => {
  await store.close()
  await runners.close()
  await sandbox.close()
  await harness.close()
})

const activities = () => {
  const { keyring, changes, log, outbound } = harness.deps
  const deps: Deps = {
    store,
    keyring,
    changes,
    log,
    sandbox,
    runners,
    outbound,
    openCloud: async () => {
      throw new Error('A run opens no cloud.')
    },
    planJsonBytes: 32 * 1024 ** 2,
    ...noBills,
    ...noBuilds,
    worker,
    engineVersion: '1.12.6',
    publicOrigin: 'http://127.0.0.1',
    cliConfig: undefined,
    workflowState: async () => 'running',
    slotShares: { take: async () => () => undefined, forget: () => undefined },
    stopping: new AbortController().signal,
  }
  const { control, tofu } = createActivities(deps)
  return { ...control, ...tofu }
}

/** Does a run's activities one after the other, as its workflow does. */
async function work(runId: number): Promise<void> {
  const { nextStep, planRun, applyRun } = activities()
  const run = async (activity: (input: { runId: number }) => Promise<RunStep>) => {
    const step: RunStep = await new MockActivityEnvironment({ attempt: 1 }).run(activity, { runId })
    return step.next
  }
  expect(await run(nextStep)).toBe('plan')
  expect(await run(planRun)).toBe('apply')
  expect(await run(applyRun)).toBe('over')
}

// The setting of the organization counts where it is a message of its own: not in `store.read` and
// `store.write`, where it travels with the statement.
test('a run that applies a change: at most 60 statements of its worker, in 6 transactions', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  // The first opens the connections.
  await work((await startRun(owner, await org.workspace({ by: owner }))).id)

  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace)
  const { statements, trips } = await countStatements(async () => work(id), {
    by: worker,
    except: byTheClock,
  })

  const ended = (await owner.get(`${workspace.url}/runs/${id}`)).json().run
  expect(ended.state).toBe('succeeded')
  const transactions = statements.filter((text) => /^begin/i.test(text)).length
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(60)
  expect(trips).toBeLessThanOrEqual(55)
  expect(transactions).toBeLessThanOrEqual(6)
})
