import { describe, expect, test } from 'vitest'
import { badBuilds } from '../../test/harness/manifest/bad-builds.ts'
import { badDeployments } from '../../test/harness/manifest/bad-deployments.ts'
import { build } from '../../test/harness/manifest/bad-manifest.ts'
import { badMeanings } from '../../test/harness/manifest/bad-meanings.ts'
import { badTexts } from '../../test/harness/manifest/bad-texts.ts'
import { goodManifests } from '../../test/harness/manifest/good-manifests.ts'
import { checkManifest } from './check-manifest.ts'
import { faultInWords, type ManifestFault } from './manifest-fault.ts'

const inWords = (faults: readonly ManifestFault[]) =>
  faults.map((fault) => faultInWords(fault).slice('pipeline.yml:'.length))

describe('checkManifest', () => {
  test.each(goodManifests)('accepts $name', ({ yaml, warnings = [] }) => {
    const checked = checkManifest(yaml)
    expect(inWords(checked.errors)).toEqual([])
    expect(inWords(checked.warnings)).toEqual(warnings)
    expect(checked.manifest).toMatchObject({ version: 1 })
  })

  test.each([...badTexts, ...badBuilds, ...badDeployments, ...badMeanings])(
    'refuses $name',
    ({ yaml, faults }) => {
      const checked = checkManifest(yaml)
      expect(inWords(checked.errors)).toEqual(faults)
      expect(checked.manifest).toBeUndefined()
    },
  )

  test('a fault as a line of a log', () => {
    const [fault] = checkManifest(
      build.replace('artifact', 'steps: [{ comand: a }]\n  artifact'),
    ).errors
    expect(fault && faultInWords(fault)).toBe(
      'pipeline.yml:3:13 build.steps[0]: unknown key "comand", did you mean "run"?',
    )
    expect(faultInWords({ line: 1, column: 2, path: '', message: 'a' })).toBe('pipeline.yml:1:2 a')
  })

  test('what an author wrote stays on one line, is cut, and turns no text around', () => {
    const key = `a\nb\u202e${'x'.repeat(200)}`
    const [fault] = checkManifest(`${build}${JSON.stringify(key)}: 1\n`).errors
    expect(fault?.message).toMatch(/^unknown key "a\\nb\\u202ex{56}…": remove it/)
    const [inPath] = checkManifest(
      `${build}deploy: { strategies: { ${JSON.stringify(key)}: { kind: rolling, batch: 0 } } }`,
    ).errors
    expect(inPath?.path.length).toBeLessThan(120)
    expect(inPath?.path).not.toMatch(/[\n\u202e]/)
  })

  test('the value is as it is written, and an alias is what it stands for', () => {
    const { manifest } = checkManifest(
      goodManifests.find(({ name }) => name === 'aliases')?.yaml ?? '',
    )
    expect(manifest).toEqual({
      version: 1,
      build: {
        steps: [
          { run: 'make', env: { A: 'x', B: 'y' } },
          { run: 'make test', env: { A: 'x', B: 'y' } },
        ],
        artifact: { path: 'dist' },
      },
    })
  })

  test('of many faults the first hundred are told, in the order of the text', () => {
    const keys = Array.from({ length: 900 }, (_, at) => `k${at}: 1\n`).join('')
    const { errors } = checkManifest(`${build}${keys}`)
    expect(errors).toHaveLength(100)
    expect(errors.slice(0, 99).map(({ line }) => line)).toEqual(
      Array.from({ length: 99 }, (_, at) => at + 4),
    )
    expect(errors[99]).toMatchObject({
      line: 103,
      message: 'and 801 more faults from here on: correct those above first',
    })
  })
})
