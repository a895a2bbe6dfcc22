import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPython, pythonTools } from './python-tools.ts'
import { runPeer } from './run-peer.ts'

const composeFile = join(import.meta.dirname, '../../docker-compose.yml')

// What can be proved of it without Docker: that it is what the Compose specification's schema takes.
describe.skipIf(!hasPython())('the Compose specification', () => {
  let program: string
  let folder: string

  beforeAll(async () => {
    program = join(await pythonTools('compose', ['check-jsonschema==0.39.0']), 'check-jsonschema')
    folder = mkdtempSync(join(tmpdir(), 'cc-compose-'))
  })
  afterAll(() => {
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  // The schema comes with the program: nothing is fetched.
  const check = async (path: string) =>
    runPeer(program, ['--builtin-schema', 'vendor.compose-spec', path])

  test('docker-compose.yml is what its schema takes', async () => {
    const { code, output } = await check(composeFile)
    expect(output).toContain('ok -- validation done')
    expect(code).toBe(0)
  })

  test('a word that the schema does not know is refused', async () => {
    const path = join(folder, 'docker-compose.yml')
    const text = readFileSync(composeFile, 'utf8')
    writeFileSync(path, text.replace('    stop_signal:', '    stop_sign:'))
    const { code, output } = await check(path)
    expect(output).toContain("'stop_sign' was unexpected")
    expect(code).toBe(1)
  })
})
