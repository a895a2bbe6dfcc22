import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scimClient } from '../../api/scim/scim-client.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'

type Probe = { results: Array<{ name: string; status: string; message?: string; phase?: string }> }

// Two suites of other people: both create, read, change and delete as an identity provider does.
describe.skipIf(!hasPython())('SCIM conformance', () => {
  let harness: Harness
  let bin: string
  let url: string

  beforeAll(async () => {
    bin = await pythonTools('scim', [
      'scim2-tester==0.5.2',
      'scim2-client==0.13.2',
      'scim2-models==0.12.3',
      'httpx2==2.16.2',
      'scim-sanity==0.7.4',
    ])
    harness = await createHarness()
    url = `${harness.config.baseUrl}/api/scim/v2`
  })
  afterAll(async () => harness?.close())

  const newToken = async () => (await scimClient(harness, await harness.organization())).token

  test('scim2-tester: no ERROR, no CRITICAL, no DEVIATION', async () => {
    const script = join(import.meta.dirname, 'check-server.py')
    const { code, output } = await runPeer(join(bin, 'python'), [script, url], {
      env: { SCIM_TOKEN: await newToken() },
    })
    console.log(output)
    expect(code).toBe(0)
    expect(output).toMatch(/\n[1-9]\d{2,} passed, 0 failed\n$/)
  })

  test('scim-sanity, strict: nothing fails but an unknown member, nothing is warned of', async () => {
    const { output } = await runPeer(join(bin, 'scim-sanity'), [
      'probe',
      url,
      '--token',
      await newToken(),
      '--i-accept-side-effects',
      '--strict',
      '--json-output',
    ])
    const { results }: Probe = JSON.parse(output.slice(output.indexOf('{')))
    const bad = results.filter(({ status }) => !['pass', 'skip'].includes(status.toLowerCase()))
    // It adds a member that nobody is, and expects 200: here an unknown member is refused (400 invalidValue).
    expect(bad.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      'PATCH /Groups/{id} add member: Expected 200, got 400',
    ])
    expect(results.length).toBeGreaterThan(20)
  })
})
