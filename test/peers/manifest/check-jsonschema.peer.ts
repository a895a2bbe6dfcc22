import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkManifest } from '../../../domain/manifest/check-manifest.ts'
import { publishedSchema } from '../../../domain/manifest/manifest-schema.ts'
import { badBuilds } from '../../harness/manifest/bad-builds.ts'
import { badDeployments } from '../../harness/manifest/bad-deployments.ts'
import type { BadManifest } from '../../harness/manifest/bad-manifest.ts'
import { badMeanings } from '../../harness/manifest/bad-meanings.ts'
import { badTexts } from '../../harness/manifest/bad-texts.ts'
import { goodManifests } from '../../harness/manifest/good-manifests.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'

/** The only manifests that it accepts and the check refuses. */
const onlyHere = [
  'a directive',
  'a tag of YAML',
  'a merge key',
  'a strategy that is not there',
  'a strategy like nothing',
  'falling shares',
  'two names of strategies that are one',
  'outputs of one variable',
  'a secret that the build does not declare',
  'a secret that is a variable too',
  'a step longer than the build',
  '1,001 lines',
]

// Python's jsonschema, ruamel.yaml and a regular expression engine of its own.
describe.skipIf(!hasPython())('check-jsonschema judges by the published schema as we do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-manifests-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const schema = join(folder, 'schema.json')
  let program: string
  beforeAll(async () => {
    program = join(
      await pythonTools('check-jsonschema', ['check-jsonschema==0.35.0']),
      'check-jsonschema',
    )
    writeFileSync(schema, publishedSchema)
  })

  /** The names of those that it refuses. */
  async function refusedOf(manifests: ReadonlyArray<{ name: string; yaml: string }>) {
    const files = manifests.map(({ yaml }, at) => {
      const file = join(folder, `${at}.yml`)
      writeFileSync(file, yaml)
      return file
    })
    const { output } = await runPeer(program, ['-o', 'json', '--schemafile', schema, ...files])
    const { errors = [], parse_errors: unread = [] } = JSON.parse(output) as {
      errors?: Array<{ filename: string }>
      parse_errors?: Array<{ filename: string }>
    }
    const refused = new Set([...errors, ...unread].map(({ filename }) => filename))
    return manifests.filter((_, at) => refused.has(files[at] ?? '')).map(({ name }) => name)
  }

  const bad: readonly BadManifest[] = [...badTexts, ...badBuilds, ...badDeployments, ...badMeanings]
  const asked = bad.filter(({ stopsPeer }) => !stopsPeer)

  test('the schema is one of JSON Schema 2020-12', async () => {
    const { code, output } = await runPeer(program, ['--check-metaschema', schema])
    expect(code, output).toBe(0)
  })

  test('every good manifest is accepted by both', async () => {
    for (const { yaml } of goodManifests) expect(checkManifest(yaml).errors).toEqual([])
    expect(await refusedOf(goodManifests)).toEqual([])
  })

  test('every bad one is refused by both, but for what only the check can know', async () => {
    for (const { yaml } of bad) expect(checkManifest(yaml).manifest).toBeUndefined()
    const refused = await refusedOf(asked)
    expect(asked.filter((one) => one.onlyHere).map(({ name }) => name)).toEqual(onlyHere)
    expect(asked.map(({ name }) => name).filter((name) => !refused.includes(name))).toEqual(
      onlyHere,
    )
  })
})
