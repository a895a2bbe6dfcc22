import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { providerMirror, setTraps } from '../../harness/provider-mirror.ts'
import { getRun, isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'
import { rowUntil, isTerminalRow } from '../../faults/run-rows.ts'

const mirror = providerMirror()
let harness: Harness
beforeAll(async () => {
  if (mirror) setTraps(mirror)
  const env = mirror ? { CC_TOFU_CLI_CONFIG: mirror.cliConfig } : {}
  harness = await createHarness({ worker: true, env })
}, 300_000)
afterAll(() => harness.close())

const ownFile = "a run's own files must be regular files"

describe.skipIf(!mirror)(
  'what a plan leaves in the place of its plan file (skipped: install Go 1.26 to build a provider)',
  () => {
    test.each([
      ['a symbolic link', 'touch /bench/out/x; ln -sfn x /bench/out/plan.bin'],
      ['a hard link', 'touch /bench/out/x; ln -f /bench/out/x /bench/out/plan.bin'],
      // The pipe has a reader, because OpenTofu would otherwise block on it until the timeout.
      [
        'a named pipe',
        'test -p /bench/out/plan.bin || { mkfifo /bench/out/plan.bin; cat /bench/out/plan.bin >/dev/null 2>&1 </dev/null & }',
      ],
    ])('plan_errored: %s is named', async (kind, trap) => {
      const org = await harness.organization()
      const owner = await org.user('Owner')
      const workspace = await org.workspace({
        by: owner,
        files: {
          'main.tf': `terraform {
  required_providers { local = { source = "hashicorp/local" } }
}
resource "local_file" "note" {
  filename = "note"
  content  = "hello"
}
`,
          'trap.sh': `${trap}\n`,
        },
      })
      const { id } = await startRun(owner, workspace)
      const run = await runUntil(owner, { workspace, id }, isOver)
      const endMessage = `out/plan.bin is ${kind}; ${ownFile}.`
      expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored', endMessage })
      expect(await linesOf(owner, workspace, { id, stage: 'plan' })).toContain(endMessage)
    })

    test('plan_errored: the message names a folder of the run that was replaced by a link', async () => {
      const org = await harness.organization()
      const owner = await org.user('Owner')
      const trap = 'mv /bench/out /bench/away && ln -s away /bench/out'
      const workspace = await org.workspace({
        by: owner,
        files: {
          'main.tf': `terraform {
  required_providers { local = { source = "hashicorp/local" } }
}
resource "local_file" "note" {
  filename = "note"
  content  = "hello"
}
`,
          'trap.sh': `test -L /bench/out || { ${trap}; }\n`,
        },
      })
      const { id } = await startRun(owner, workspace)
      const run = await runUntil(owner, { workspace, id }, isOver)
      expect(run).toMatchObject({
        state: 'failed',
        reason: 'plan_errored',
        endMessage: "out is a symbolic link; a run's own folders must be folders.",
      })
    })
  },
)

// The apply has already changed resources, so the run must still record its end.
describe('an apply replaces errored.tfstate with another kind of file', () => {
  test.each([
    ['a symbolic link', 'ln -s /etc/passwd errored.tfstate'],
    ['a hard link', 'touch x && ln x errored.tfstate'],
    ['a named pipe', 'mkfifo errored.tfstate'],
    ['a folder', 'mkdir errored.tfstate'],
  ])('apply_errored: %s is named, and the workspace needs a refresh', async (kind, trap) => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({
      by: owner,
      files: {
        'main.tf': `resource "terraform_data" "first" {}
resource "terraform_data" "trap" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "${trap}; exit 3" }
}
`,
      },
    })
    const { id } = await startRun(owner, workspace)
    expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
      phase: 'failed',
      reason: 'apply_errored',
      needsRefresh: true,
    })
    const { endMessage } = await getRun(owner, workspace, id)
    expect(endMessage).toContain(`errored.tfstate is ${kind}; ${ownFile}, so a state`)
    expect(await linesOf(owner, workspace, { id, stage: 'apply' })).toContain(
      `errored.tfstate is ${kind}; ${ownFile}.`,
    )
  })
})
