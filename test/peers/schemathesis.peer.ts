import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { hasPython, pythonTools } from './python-tools.ts'
import { runPeer } from './run-peer.ts'

// schemathesis reads the OpenAPI document and asks what it promises: nothing may end in a 5xx or outside its schema.
describe.skipIf(!hasPython())('schemathesis', () => {
  let harness: Harness
  let organization: TestOrganization
  let bin: string
  let folder: string

  beforeAll(async () => {
    bin = await pythonTools('schemathesis', ['schemathesis==4.32.5'])
    harness = await createHarness()
    organization = await harness.organization()
    folder = mkdtempSync(join(tmpdir(), 'cc-schemathesis-'))
  })
  afterAll(async () => {
    await harness?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  async function run(user: TestUser | undefined, args: string[]): Promise<void> {
    const { baseUrl = '' } = harness.config
    const as = user ? ['-H', `Cookie: cc_session=${user.cookie}`, '-H', `Origin: ${baseUrl}`] : []
    const { code, output } = await runPeer(
      join(bin, 'schemathesis'),
      ['run', `${baseUrl}/api/openapi.json`, ...as, '--no-color', ...args],
      { cwd: folder },
    )
    if (code !== 0) console.log(output)
    expect(code).toBe(0)
  }

  test('no 5xx as Owner', async () => {
    const owner = await organization.user('Owner')
    await run(owner, ['--phases', 'examples,coverage', '--checks', 'not_a_server_error'])
  })
})
