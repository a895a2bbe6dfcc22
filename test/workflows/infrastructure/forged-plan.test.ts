import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { backendOverrideFile } from '../../../domain/workspaces/configuration-files.ts'
import { readZip } from '../../../gateways/tofu/plan-file/read-zip.ts'
import { lockInfo, stateClient } from '../../api/workspaces/state-client.ts'
import { planShop } from '../../gateways/tofu/plan-shop.ts'
import { withVariable } from '../../gateways/tofu/with-variable.ts'
import { zipOf } from '../../gateways/tofu/zip-of.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lie, lyingEngine } from '../../harness/lying-engine.ts'
import { providerMirror, setTraps } from '../../harness/provider-mirror.ts'
import { awaits, linesOf, runUntil, startRun } from '../../harness/runs.ts'

const mirror = providerMirror()
let harness: Harness
beforeAll(async () => {
  if (!mirror) return
  setTraps(mirror)
  const CC_TOFU_BIN = await lyingEngine(inject('tofuBin'), mirror.folder)
  const env = { CC_TOFU_CLI_CONFIG: mirror.cliConfig, CC_TOFU_BIN }
  harness = await createHarness({ worker: true, env })
}, 300_000)
afterAll(() => harness?.close())

const rule = (range: string) => ({
  'main.tf': `resource "terraform_data" "rule" {\n  input = { open_to = "${range}" }\n}\n`,
})

/**
 * Runs these files on production, and returns the run, its audit entries, the approval's status and
 * the states.
 */
async function runOf(files: Record<string, string>, state?: object) {
  const org = await harness.organization()
  const [author, second] = [await org.user('Deployer'), await org.user('Owner')]
  const workspace = await org.workspace({ by: author, criticality: 'production', files })
  if (state) {
    const client = stateClient(harness.app, workspace, await second.token())
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(JSON.stringify(state), info.ID)).statusCode).toBe(200)
    await client.unlock(info)
  }
  const { id } = await startRun(author, workspace)
  const run = await runUntil(author, { workspace, id }, awaits)
  const audit = await second.get('/api/audit?event=pipeline.run_failed')
  const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
  return {
    run,
    log: (await linesOf(author, workspace, { id, stage: 'plan' })).join('\n'),
    audited: audit.json().entries,
    approval: (await second.post(approve, {})).statusCode,
    state: (await author.get(`${workspace.url}/state/versions`)).json().versions,
  }
}

const refused = (message: string) => ({
  run: {
    state: 'failed',
    reason: 'plan_forged',
    endMessage: expect.stringContaining(message),
    // No plan is recorded that could be approved.
    planDigest: null,
    awaitingApproval: false,
  },
  audited: [
    {
      event: 'pipeline.run_failed',
      outcome: 'failure',
      detail: { kind: 'apply', reason: 'plan_forged' },
    },
  ],
  approval: 409,
  state: [],
})

describe.skipIf(!mirror)(
  'plan_forged: a plan file that differs from what was read (skipped: install Go 1.26 to build a provider)',
  () => {
    test('`tofu show` prints another plan than the file contains', async () => {
      const ended = await runOf(rule(lie.planned))
      expect(ended, ended.log).toMatchObject(
        refused('terraform_data.rule differs in what comes after'),
      )
      expect(ended.run.stages.map(({ state }) => state)).toEqual(['failed', 'skipped', 'skipped'])
    })

    test('the same program without a changed value is accepted', async () => {
      const { run, log, audited } = await runOf(rule('192.168.0.0/16'))
      expect(run, log).toMatchObject({ state: 'running', awaitingApproval: true })
      expect(audited).toEqual([])
    })

    // Go reads a zip file from its end and finds the second archive. Other readers start at the
    // first byte.
    test('code in the plan step writes two plans into one file', async () => {
      const ended = await runOf(leaving(await twoPlans()))
      expect(ended, ended.log).toMatchObject(refused('its archive is not as OpenTofu writes it'))
    })

    test('code in the plan step leaves a plan with another state', async () => {
      const planFile = await planned([])
      const state = JSON.stringify({ version: 4, serial: 0, resources: [extra] })
      const entries = readZip(planFile).map(({ name, read }) => ({
        name,
        data: name === 'tfstate' ? Buffer.from(state) : read(2 ** 24),
      }))
      const ended = await runOf(leaving(zipOf(entries)))
      expect(ended, ended.log).toMatchObject(
        refused('its state has an object that no change of it names'),
      )
    })

    // As if the workspace were empty: the apply would forget what it has, without a shown change.
    test("code in the plan step leaves a plan without the workspace's objects", async () => {
      const lineage = randomUUID()
      const version = { version: 4, terraform_version: '1.12.6' }
      const kept = { ...version, serial: 7, lineage, outputs: {}, resources: [extra] }
      const empty = JSON.stringify({ ...kept, resources: [] })
      const entries = readZip(await planned([])).map(({ name, read }) => ({
        name,
        data: name === 'tfstate' ? Buffer.from(empty) : read(2 ** 24),
      }))
      const ended = await runOf(leaving(zipOf(entries)), kept)
      const { run, log } = ended
      expect({ run }, log).toMatchObject({
        run: { ...refused("it leaves out an object of the workspace's state").run },
      })
      expect(ended.state).toMatchObject([{ serial: 7 }])
    })

    test('code in the plan step leaves a plan of another mode', async () => {
      const ended = await runOf(leaving(await planned(['-destroy'])))
      expect(ended, ended.log).toMatchObject(refused('it was not made with the options of the run'))
    })

    // Everything that is shown and stored equals the genuine plan; the apply would run the forged command.
    test('code in the plan step leaves a plan with a value for a variable that has a default', async () => {
      const ended = await runOf(await leavingVariable('cmd', 'touch /tmp/forged'))
      expect(ended, ended.log).toMatchObject(
        refused('it has a value for a variable that the run does not set'),
      )
    })

    test('plan_too_large: a plan file that unpacks to more than 128 MiB', async () => {
      const bomb = zipOf([
        { name: 'tfplan', data: Buffer.alloc(130 * 1024 * 1024) },
        { name: 'tfstate', data: Buffer.from('{}') },
      ])
      const ended = await runOf(leaving(bomb))
      expect(ended.run, ended.log).toMatchObject({ state: 'failed', reason: 'plan_too_large' })
      expect(ended.run.endMessage).toContain('it takes more than 128 MiB unpacked')
    })
  },
)

/** The same with the genuine plan of its own configuration, to which a variable was added. */
async function leavingVariable(name: string, value: string): Promise<Record<string, string>> {
  const command = `variable "${name}" {
  default = "true"
}
resource "terraform_data" "run" {
  provisioner "local-exec" {
    command = var.${name}
  }
}
`
  const { 'main.tf': main = '' } = leaving(Buffer.alloc(0))
  const files = { 'main.tf': main + command }
  const cliConfig = readFileSync(mirror?.cliConfig ?? '', 'utf8')
  const shop = await planShop(inject('tofuBin'), cliConfig)
  try {
    const { planFile } = await (await shop.place()).plan(files)
    // As the service names the file that sets the backend.
    const entries = readZip(planFile).map(({ name, read }) => ({
      name: name.replace('backend_override.tf.json', backendOverrideFile),
      data: read(2 ** 24),
    }))
    const forged = withVariable(zipOf(entries), name, value)
    return { ...leaving(forged), ...files }
  } finally {
    shop.close()
  }
}

/** A configuration whose code, in the plan step, replaces OpenTofu's plan file with these bytes. */
const leaving = (planFile: Buffer): Record<string, string> => ({
  'main.tf': `terraform {
  required_providers { local = { source = "hashicorp/local" } }
}
resource "local_file" "note" {
  filename = "note"
  content  = "hello"
}
# More than a pipe holds, so that OpenTofu ends only after its plan was replaced.
# ${randomBytes(200_000).toString('hex')}
`,
  'forged.b64': planFile.toString('base64'),
  'trap.sh': `test -p /bench/out/plan.bin && exit
base64 -d forged.b64 > /bench/out/forged
mkfifo /bench/out/plan.bin
{
  exec 3< /bench/out/plan.bin
  mv /bench/out/forged /bench/out/plan.bin
  cat <&3
} > /dev/null 2>&1 < /dev/null &
`,
})

/** An object of a state. */
const extra = {
  mode: 'managed',
  type: 'terraform_data',
  name: 'extra',
  provider: 'provider["terraform.io/builtin/terraform"]',
  instances: [{ schema_version: 0, attributes: { id: 'x' } }],
}

async function planned(args: readonly string[]): Promise<Buffer> {
  const shop = await planShop(inject('tofuBin'))
  try {
    return (await (await shop.place()).plan(rule('10.0.0.0/8'), args)).planFile
  } finally {
    shop.close()
  }
}

async function twoPlans(): Promise<Buffer> {
  const shop = await planShop(inject('tofuBin'))
  try {
    const plans = [rule('10.0.0.0/8'), rule('0.0.0.0/0')].map(async (files) =>
      (await shop.place()).plan(files),
    )
    return Buffer.concat((await Promise.all(plans)).map(({ planFile }) => planFile))
  } finally {
    shop.close()
  }
}
