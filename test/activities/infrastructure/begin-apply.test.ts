import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { beginApply } from '../../../activities/infrastructure/begin-apply.ts'
import { digestOf } from '../../../activities/infrastructure/digest-of.ts'
import { tellRules } from '../../../activities/infrastructure/gate-rules.ts'
import { loadRun } from '../../../activities/infrastructure/load-run.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import type { Runner } from '../../../gateways/runner/start-runner.ts'
import { findJudgedPlan } from '../../../store/infrastructure/judged-plan.ts'
import { awsAccount } from '../../api/clouds/account-bodies.ts'
import { recordedPlan } from '../../api/infrastructure/recorded-plan.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A run of a workspace with a cloud account, with a plan that is to be applied; no worker picks it up. */
async function planned() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { account } = (await owner.post('/api/cloud/accounts', awsAccount({}))).json()
  const workspace = await org.workspace({ by: owner })
  await owner.patch(workspace.url, { cloudAccountId: account.id })
  const { id } = await startRun(owner, workspace)
  const { keyring, store } = harness.deps
  // The last check asks neither a sandbox nor a runner, which an API has not.
  const deps = { ...harness.deps, engineVersion: '1.12.6', worker: 'one' } as unknown as Deps
  const rows = (table: string) => store.platform(table)
  const load = async () => loadRun(deps, await findRun(deps, id), 'apply')

  const planWith = async (variablesMac: string) => {
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, testPlan([]))
    const runner = { channel: { sendBlob: async () => undefined } } as unknown as Runner
    const rules = tellRules(deps, runner, { organizationId: org.id, workspaceId: workspace.id })
    await rules.rules({ types: [] })
    await rows('plans')
      .where({ workspaceRunId: id })
      .update({ ...rules.judgedBy(), variablesMac })
    const planDigest = digestOf({
      sha256,
      configurationSha256: (await load()).configuration.filesSha256,
      engineVersion: deps.engineVersion,
      stateLineage: null,
      stateSerial: null,
      variablesMac,
      folder: '',
    })
    await rows('workspace_runs').where({ id }).update({ phase: 'apply_queued', planDigest })
  }
  return {
    planWith,
    /** As versions before the name was part of it made it. */
    formerMac: () => keyring.mac('variables', JSON.stringify([[], [], account.id])).toString('hex'),
    mac: async () => (await load()).variablesMac,
    set: async (change: object) => rows('workspaces').where({ id: workspace.id }).update(change),
    begin: async () => {
      const stored = await findJudgedPlan(store, org.id, id)
      if (!stored) throw new Error('no plan')
      const begun = await beginApply(deps, await load(), { plan: stored.plan, sha256 })
      const run = await rows('workspace_runs').where({ id }).first('phase', 'reason')
      return { hasBegun: begun !== undefined, ...run }
    },
  }
}
const sha256 = { plan_file: 'a'.repeat(64) }
const begun = { hasBegun: true, phase: 'applying', reason: null }
const stale = { hasBegun: false, phase: 'failed', reason: 'plan_stale' }

test('a plan of a workspace with a cloud account is applied', async () => {
  const run = await planned()
  await run.planWith(await run.mac())
  expect(await run.begin()).toEqual(begun)
})

test('a plan from before the name was part of its hash is applied after an upgrade', async () => {
  const run = await planned()
  await run.planWith(run.formerMac())
  expect(await run.begin()).toEqual(begun)
})

test('plan_stale: a workspace with a cloud account has another name than its plan was made under', async () => {
  const run = await planned()
  await run.planWith(await run.mac())
  await run.set({ name: 'another-one' })
  expect(await run.begin()).toEqual(stale)
})

test('plan_stale: a plan from before has the hash of another cloud account', async () => {
  const run = await planned()
  await run.planWith(run.formerMac())
  await run.set({ cloudAccountId: null })
  expect(await run.begin()).toEqual(stale)
})
