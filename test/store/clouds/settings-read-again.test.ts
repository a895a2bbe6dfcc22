import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { readSettingsAgain } from '../../../store/migrations/0156-find-holders-by-other-ids.ts'
import { noteHeldResourcesTask } from '../../../worker/tasks/note-held-resources.ts'
import { lockedState } from '../../api/workspaces/locked-state.ts'
import { stateOf } from '../../api/workspaces/state-client.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const sink = 'arn:aws:oam:eu-west-1:123456789012:sink/s'

/** A workspace whose state has this, noted as it was before the upgrade. */
async function noted(type: string) {
  const made = await lockedState(harness)
  const { org, client, info, workspace } = made
  const provider = 'provider["registry.opentofu.org/hashicorp/aws"]'
  const instances = [{ attributes: { id: sink, arn: sink, sink_identifier: sink } }]
  const resources = [{ mode: 'managed', type, name: 'a', provider, instances }]
  expect((await client.write(stateOf(1, { resources }), info.ID)).statusCode).toBe(200)
  const { platform } = harness.deps.store
  const row = {
    organizationId: org.id,
    workspaceId: workspace.id,
    cloudId: sink,
    address: `${type}.a`,
    type,
    provider: 'aws',
    attributes: '{}',
    heldFrom: '2026-01-01',
  }
  await platform('workspace_resources').insert(row)
  const at = { organizationId: org.id, workspaceId: workspace.id }
  return {
    workspace,
    held: async () =>
      platform('workspace_resources')
        .where({ ...at, heldTo: null })
        .pluck('cloud_id'),
  }
}

test('a setting that was noted as the resource that it is set for is ended by one more look', async () => {
  const setting = await noted('aws_oam_sink_policy')
  const policy = await noted('aws_iam_policy')
  expect(await setting.held()).toEqual([sink])
  const owner = connectOwner(harness.config.databaseUrl)
  try {
    await readSettingsAgain(owner)
  } finally {
    await owner.destroy()
  }
  const due = await harness.deps.store
    .platform('workspaces')
    .where({ resourcesDue: true })
    .pluck('id')
  expect(due).toContain(setting.workspace.id)
  expect(due).not.toContain(policy.workspace.id)
  await noteHeldResourcesTask(harness.deps).run()
  expect(await setting.held()).toEqual([])
})
