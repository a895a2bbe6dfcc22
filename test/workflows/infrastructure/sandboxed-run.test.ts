import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

/** Runs a shell script as the author of a configuration can, and returns its output. */
async function runScript(script: string): Promise<string> {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const command = JSON.stringify(script.replaceAll('${', '$${').replaceAll('%{', '%%{'))
  const files = {
    'main.tf': `resource "terraform_data" "x" {\n  provisioner "local-exec" {\n    command = ${command}\n  }\n}\n`,
  }
  const workspace = await org.workspace({ by: owner, files })
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  const lines = (await linesOf(owner, workspace, { id, stage: 'apply' })).join('\n')
  return `${run.state}\n${lines}`
}

// Checks what the code of a plan or an apply can reach, with whole runs
// (docs/decisions/0007-sandbox.md).
describe('a run of hostile code', () => {
  test('sees neither the host’s files nor the worker’s environment', async () => {
    const secretDir = mkdtempSync(join(homedir(), '.cc-secret-'))
    writeFileSync(join(secretDir, 'key'), 'host-secret-4711')
    try {
      const said = await runScript(
        [
          `cat ${secretDir}/key || echo no-home`,
          `ls ${harness.config.dataDir} || echo no-data`,
          `ls ${process.cwd()} || echo no-checkout`,
          'ls /run/cloud-control || echo no-other-runs',
          'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -E "DATABASE_URL|CC_KEYRING" || echo no-environment',
          'id -u',
        ].join('; '),
      )
      expect(said).toContain('succeeded')
      for (const word of ['no-home', 'no-data', 'no-checkout', 'no-other-runs', 'no-environment'])
        expect(said).toMatch(new RegExp(`local-exec\\): ${word}`))
      expect(said).not.toContain('host-secret-4711')
      expect(said).not.toMatch(/local-exec\): 0$/m)
    } finally {
      rmSync(secretDir, { recursive: true, force: true })
    }
  })

  test('reaches nothing on the host’s loopback, nor the metadata address', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('host-loopback-4711')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const probe = (host: string, at: number) =>
        `(exec 3<>/dev/tcp/${host}/${at}) 2>/dev/null && echo reached-${at} || echo closed-${at}`
      const said = await runScript(
        `bash -c '${[probe('127.0.0.1', port), probe('169.254.169.254', 80), probe('127.0.0.1', harness.config.port)].join('; ')}'`,
      )
      expect(said).toContain(`closed-${port}`)
      expect(said).toContain('closed-80')
      expect(said).toContain(`closed-${harness.config.port}`)
      expect(said).not.toContain(': reached-')
      expect(asked).toEqual([])
    } finally {
      server.close()
    }
  })

  test('reaches only its own state in the API with its own token', async () => {
    const said = await runScript(
      [
        'curl -s -o /dev/null -w "state-%{http_code} " -u "run:$TF_HTTP_PASSWORD" "$TF_HTTP_ADDRESS"',
        'other=$(echo "$TF_HTTP_ADDRESS" | sed -E "s#workspaces/[0-9]+#workspaces/1#")',
        'me=$(echo "$TF_HTTP_ADDRESS" | sed -E "s#/api/.*#/api/auth/me#")',
        'curl -s -o /dev/null -w "me-%{http_code} " -u "run:$TF_HTTP_PASSWORD" "$me"',
        'echo "token $TF_HTTP_PASSWORD"',
      ].join('; '),
    )
    expect(said).toMatch(/state-20[04]/)
    expect(said).toContain('me-404')
    // The author printed the token. It was masked before it was stored.
    expect(said).toContain('token [masked]')
    expect(said).not.toMatch(/cc_run_[0-9A-Za-z]{10}/)
  })

  test('fills its disk and its process limit, and the next run succeeds', async () => {
    const said = await runScript(
      'dd if=/dev/zero of=big bs=1M count=8000 2>&1 | tail -1; for i in $(seq 2000); do sleep 20 & done 2>&1 | tail -1; true',
    )
    expect(said).toMatch(
      /No space left|File too large|File size limit|fork|Resource temporarily|succeeded|failed/,
    )
    const next = await runScript('echo still-well')
    expect(next).toContain('still-well')
  })
})
