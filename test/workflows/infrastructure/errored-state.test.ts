import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isTerminalRow, rowUntil } from '../../faults/run-rows.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

test('state_save_failed: a state that an apply could not save is kept and readable, even above the size limit', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const begin = '{"version":4,"serial":9,"lineage":"mine","outputs":"'
  const zeros = 70 * 1024 ** 2
  // The file as OpenTofu leaves it. OpenTofu itself fails to save only while the API is down.
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

test('succeeded: an apply that does not change the state', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  // The value is unknown in the plan and equal after each apply, so an update is planned and no
  // state is saved.
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
