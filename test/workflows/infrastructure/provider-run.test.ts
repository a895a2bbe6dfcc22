import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { providerMirror } from '../../harness/provider-mirror.ts'
import { awaits, isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

const mirror = providerMirror()
let harness: Harness
beforeAll(async () => {
  if (!mirror) return
  harness = await createHarness({ worker: true, env: { CC_TOFU_CLI_CONFIG: mirror.cliConfig } })
}, 300_000)
afterAll(() => harness?.close())

const files = {
  'main.tf': `terraform {
  required_providers { local = { source = "hashicorp/local" } }
}
resource "local_file" "note" {
  count    = 2
  filename = "\${path.module}/note-\${count.index}"
  content  = "hello"
}
data "local_file" "made" {
  filename = local_file.note[0].filename
}
output "content" { value = data.local_file.made.content }
`,
}

describe.skipIf(!mirror)(
  'a run with a real provider (skipped: install Go 1.26 to build one)',
  () => {
    test('plans and applies with the same lock file', async () => {
      const org = await harness.organization()
      const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
      const workspace = await org.workspace({ by: author, criticality: 'production', files })
      const { id } = await startRun(author, workspace)
      const waiting = await runUntil(author, { workspace, id }, awaits)
      const log = (await linesOf(author, workspace, { id, stage: 'plan' })).join('\n')
      expect(waiting.awaitingApproval, log).toBe(true)
      expect(waiting.summary).toMatchObject({ add: 2, change: 0, destroy: 0 })
      const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
      expect((await second.post(approve, {})).statusCode).toBe(200)
      const run = await runUntil(author, { workspace, id }, isOver)
      const applied = (await linesOf(author, workspace, { id, stage: 'apply' })).join('\n')
      expect(run.state, applied).toBe('succeeded')
      const outputs = (await author.get(`${workspace.url}/outputs`)).json().outputs
      expect(outputs[0]).toMatchObject({ name: 'content', value: 'hello' })
    })

    test('all runs can read the mirror, and no run can write to it', async () => {
      const place = mirror?.folder ?? ''
      const script = `find ${place} -name 'terraform-provider-local*' | head -1 | xargs -I{} sh -c 'echo evil >> {} || echo kept-{}'; touch ${place}/new || echo kept-new; id -u`
      for (const org of [await harness.organization(), await harness.organization()]) {
        const owner = await org.user('Owner')
        const workspace = await org.workspace({
          by: owner,
          files: {
            'main.tf': `${files['main.tf']}
resource "terraform_data" "evil" {
  provisioner "local-exec" { command = ${JSON.stringify(script)} }
}
`,
          },
        })
        const { id } = await startRun(owner, workspace)
        const run = await runUntil(owner, { workspace, id }, isOver)
        const log = (await linesOf(owner, workspace, { id, stage: 'apply' })).join('\n')
        expect(run.state, log).toBe('succeeded')
        expect(log).toMatch(/kept-\/.*terraform-provider-local/)
        expect(log).toContain('kept-new')
      }
      expect(existsSync(`${place}/new`)).toBe(false)
    })

    test('a run cannot change its CLI configuration', async () => {
      const org = await harness.organization()
      const owner = await org.user('Owner')
      const script =
        'for f in "$TF_CLI_CONFIG_FILE" "$(dirname "$TF_CLI_CONFIG_FILE")/new"; do echo x > "$f" || echo kept; done; mv "$(dirname "$TF_CLI_CONFIG_FILE")" /bench/away || echo stays'
      const workspace = await org.workspace({
        by: owner,
        files: {
          'main.tf': `resource "terraform_data" "x" {\n  provisioner "local-exec" { command = ${JSON.stringify(script)} }\n}\n`,
        },
      })
      const { id } = await startRun(owner, workspace)
      const run = await runUntil(owner, { workspace, id }, isOver)
      const log = (await linesOf(owner, workspace, { id, stage: 'apply' })).join('\n')
      expect(run.state, log).toBe('succeeded')
      expect(log.match(/: kept$/gm)).toHaveLength(2)
      expect(log).toMatch(/: stays$/m)
    })

    test('an unknown provider fails the run, and the log names it', async () => {
      const org = await harness.organization()
      const owner = await org.user('Owner')
      const workspace = await org.workspace({
        by: owner,
        files: { 'main.tf': 'resource "nosuch_thing" "x" {}\n' },
      })
      const { id } = await startRun(owner, workspace)
      const run = await runUntil(owner, { workspace, id }, isOver)
      expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
      const log = (await linesOf(owner, workspace, { id, stage: 'plan' })).join('\n')
      expect(log).toContain('hashicorp/nosuch')
      expect(run.endMessage).toMatch(
        /^tofu init: Failed to query available provider packages: Could not /,
      )
    })
  },
)
