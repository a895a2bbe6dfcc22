import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isTerminalRow, rowUntil } from '../../faults/run-rows.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

test('state_save_failed: what an apply could not save is kept and read, larger than a state may be', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const begin = '{"version":4,"serial":9,"lineage":"mine","outputs":"'
  const zeros = 70 * 1024 ** 2
  // As OpenTofu leaves it; to have OpenTofu itself fail to save takes an API that is away.
  const command = `printf '%s' '${begin}' > errored.tfstate; head -c ${zeros} /dev/zero >> errored.tfstate; exit 3`
  const workspace = await org.workspace({
    by: owner,
    files: {
      'main.tf': `resource "terraform_data" "first" {}
resource "terraform_data" "last" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = ${JSON.stringify(command)} }
}
`,
    },
  })
  const { id } = await startRun(owner, workspace)
  expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
    phase: 'failed',
    reason: 'state_save_failed',
    needsRefresh: true,
    quarantined: 1,
  })
  const { versions } = (await owner.get(`${workspace.url}/state/versions`)).json()
  const kept = versions.find(({ status }: { status: string }) => status === 'quarantined')
  expect(kept).toMatchObject({ serial: 9, lineage: 'mine', runId: id })
  const read = await owner.get(`${workspace.url}/state/quarantined/${kept.id}`)
  expect(read.statusCode).toBe(200)
  const expected = Buffer.concat([Buffer.from(begin), Buffer.alloc(zeros)])
  expect(read.rawPayload.equals(expected)).toBe(true)
})

test('succeeded: an apply that leaves the state as it was', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  // Unknown in the plan and the same after each apply, so that there is an update and nothing to save.
  const workspace = await org.workspace({
    by: owner,
    files: {
      'main.tf': `resource "terraform_data" "same" { input = length(timestamp()) }\n`,
    },
  })
  const first = await startRun(owner, workspace)
  expect(await rowUntil(harness, first.id, { when: isTerminalRow })).toMatchObject({
    phase: 'succeeded',
  })
  const again = await startRun(owner, workspace)
  expect(await rowUntil(harness, again.id, { when: isTerminalRow })).toMatchObject({
    phase: 'succeeded',
    reason: null,
    needsRefresh: false,
  })
  const { versions } = (await owner.get(`${workspace.url}/state/versions`)).json()
  expect(versions).toHaveLength(1)
})
