import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { lockInfo, stateClient } from './state-client.ts'

type Ran = { code: number; text: string }
type Tofu = (...args: string[]) => Promise<Ran>

/** Tests the protocol with the OpenTofu program itself. */
describe('a user’s own OpenTofu', () => {
  let harness: Harness
  const folders: string[] = []
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    await harness.close()
  })

  const checkout = (url: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'cc-tofu-'))
    folders.push(folder)
    const address = `${harness.config.baseUrl}${url}/state`
    writeFileSync(
      join(folder, 'main.tf'),
      `terraform {
  backend "http" {
    address        = "${address}"
    lock_address   = "${address}"
    unlock_address = "${address}"
    username       = "any"
  }
}
variable "word" { default = "one" }
resource "terraform_data" "it" { input = var.word }
`,
    )
    return folder
  }

  const tofuOf =
    (folder: string, token: string): Tofu =>
    async (...args) =>
      new Promise((resolve) => {
        const env = { PATH: '', HOME: folder, TF_HTTP_PASSWORD: token, TF_IN_AUTOMATION: '1' }
        execFile(inject('tofuBin'), args, { cwd: folder, env }, (error, out, err) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: out + err }),
        )
      })

  const made = async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    const workspace = await org.workspace()
    const folder = checkout(workspace.url)
    const as = async (user: TestUser) => tofuOf(folder, await user.token())
    const tofu = await as(deployer)
    expect((await tofu('init', '-no-color')).code).toBe(0)
    return { org, deployer, workspace, folder, tofu, as }
  }
  const apply = ['apply', '-no-color', '-auto-approve'] as const

  test('200: applies, pulls, pushes and destroys', async () => {
    const { deployer, workspace, folder, tofu } = await made()
    expect((await tofu(...apply)).text).toContain('1 added')
    const state = JSON.parse((await tofu('state', 'pull')).text)
    writeFileSync(join(folder, 'next.json'), JSON.stringify({ ...state, serial: 9 }))
    expect((await tofu('state', 'push', 'next.json')).code).toBe(0)
    // OpenTofu increases the serial at a push.
    expect((await deployer.get(workspace.url)).json().workspace.stateSerial).toBe(10)
    expect((await tofu('destroy', '-no-color', '-auto-approve')).text).toContain('1 destroyed')
    expect((await deployer.get(workspace.url)).json().workspace.locked).toBeNull()
    expect((await deployer.delete(workspace.url)).statusCode).toBe(200)
  })

  test('423: the error names the lock’s holder, and force-unlock needs the right to', async () => {
    const { org, deployer, workspace, tofu, as } = await made()
    const owner = await org.user('Owner')
    const info = lockInfo({ Who: 'owner@desk' })
    await stateClient(harness.app, workspace, await owner.token()).lock(info)
    const refused = await tofu(...apply)
    expect(refused.code).toBe(1)
    expect(refused.text).toContain(info.ID)
    expect(refused.text).toContain('owner@desk')
    expect((await tofu('force-unlock', '-force', info.ID)).text).toContain('403')
    const other = await as(await org.user('SRE · Cloud Admin'))
    expect((await other('force-unlock', '-force', 'wrong')).text).toContain('409')
    expect((await other('force-unlock', '-force', info.ID)).code).toBe(0)

    await owner.post(`${workspace.url}/lock`, { reason: 'freeze' })
    const frozen = await tofu(...apply)
    expect(frozen.text).toContain(owner.email)
    expect(frozen.text).toContain('freeze')
    await owner.post(`${workspace.url}/unlock`, {})
    expect((await tofu(...apply)).code).toBe(0)
    expect((await deployer.get(workspace.url)).json().workspace.stateSerial).toBe(1)
  })

  test('409: a state without a lock, or a forced older serial, is refused', async () => {
    const { workspace, deployer, folder, tofu } = await made()
    await tofu(...apply)
    const unlocked = await tofu(...apply, '-lock=false', '-var', 'word=two')
    expect(unlocked.code).toBe(1)
    expect(readFileSync(join(folder, 'errored.tfstate'), 'utf8')).toContain('two')
    expect((await tofu('state', 'push', 'errored.tfstate')).code).toBe(0)
    const state = JSON.parse((await tofu('state', 'pull')).text)
    writeFileSync(join(folder, 'old.json'), JSON.stringify({ ...state, serial: 0 }))
    expect((await tofu('state', 'push', '-force', 'old.json')).text).toContain('409')
    const foreign = JSON.stringify({ ...state, serial: 99, lineage: 'another' })
    writeFileSync(join(folder, 'foreign.json'), foreign)
    expect((await tofu('state', 'push', '-force', 'foreign.json')).text).toContain('409')
    expect((await deployer.get(workspace.url)).json().workspace.stateSerial).toBe(state.serial)
  })

  test('200: the next plan starts from a restored state', async () => {
    const { org, workspace, tofu } = await made()
    await tofu(...apply)
    await tofu(...apply, '-var', 'word=two')
    const owner = await org.user('Owner')
    const restored = await owner.post(`${workspace.url}/state/versions/1/restore`)
    expect(restored.statusCode).toBe(201)
    const plan = await tofu('plan', '-no-color', '-detailed-exitcode')
    expect(plan.code, plan.text).toBe(0)
  })
})
