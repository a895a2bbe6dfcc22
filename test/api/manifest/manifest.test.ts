import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { build } from '../../harness/manifest/bad-manifest.ts'

const check = '/api/pipelines/manifest/check'

describe('the manifest of applications', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  const viewer = async () => (await harness.organization()).user('Viewer')

  test('200: the schema is public, and another validator compiles it', async () => {
    const response = await harness.app.inject({ url: '/api/schemas/pipeline.json' })
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    })
    const schema = response.json()
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' })
    // Without the keyword that only this service reads.
    const validate = new Ajv2020({ strict: false }).compile(schema)
    expect(validate({ version: 1, build: { artifact: { path: 'dist' } } })).toBe(true)
    expect(validate({ version: 1, build: { artifact: { path: '../dist' } } })).toBe(false)
  })

  test('200: a good manifest, and one with a warning', async () => {
    const person = await viewer()
    expect((await person.post(check, { yaml: build })).json()).toEqual({
      ok: true,
      errors: [],
      warnings: [],
    })
    const unused = await person.post(check, {
      yaml: `${build}deploy:\n  via: workspace\n  keep: 3\n`,
    })
    expect(unused.json()).toEqual({
      ok: true,
      errors: [],
      warnings: [
        {
          line: 6,
          column: 3,
          path: 'deploy',
          message: '"keep" is not used, because a run of the workspace deploys (via: workspace)',
        },
      ],
    })
  })

  test('200: a bad one, each fault with its line and column', async () => {
    const yaml = 'version: 1\nbuild:\n  steps:\n    - comand: make\n  artifact: { path: /dist }\n'
    const response = await (await viewer()).post(check, { yaml })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      ok: false,
      errors: [
        {
          line: 4,
          column: 7,
          path: 'build.steps[0]',
          message: 'unknown key "comand", did you mean "run"?',
        },
        { line: 5, column: 21, path: 'build.artifact.path' },
      ],
      warnings: [],
    })
  })

  test('200: the starters, each of which passes the check', async () => {
    const person = await viewer()
    const { starters } = (await person.get('/api/pipelines/manifest/starters')).json()
    expect(starters.map(({ foundBy }: { foundBy: string | null }) => foundBy)).toEqual([
      'package.json',
      'go.mod',
      'pyproject.toml',
      'pom.xml',
      'Cargo.toml',
      'index.html',
      null,
    ])
    for (const { yaml, path } of starters) {
      expect(path).toBe('.cloud-control/pipeline.yml')
      const checked = (await person.post(check, { yaml })).json()
      expect(checked).toEqual({ ok: true, errors: [], warnings: [] })
    }
  })

  test('400: no text, or a field that is not there', async () => {
    const person = await viewer()
    for (const body of [{}, { yaml: 1 }, { yaml: build, path: 'a' }]) {
      const response = await person.post(check, body)
      expect(response.statusCode, response.body).toBe(400)
      expect(response.json()).toMatchObject({ code: 'validation_failed' })
    }
  })

  test('413: more than 256 KiB, counted as UTF-8', async () => {
    const person = await viewer()
    const room = 256 * 1024 - build.length - 3
    const fits = await person.post(check, { yaml: `${build}# ${'a'.repeat(room)}\n` })
    expect(fits.json()).toMatchObject({ ok: true })
    for (const yaml of [
      `${build}# ${'a'.repeat(room + 1)}\n`,
      `${build}# ${'€'.repeat(room / 2)}\n`,
    ]) {
      const response = await person.post(check, { yaml })
      expect(response.statusCode).toBe(413)
      expect(response.json()).toMatchObject({ code: 'manifest_too_large' })
    }
  })

  test('429: checks that take an organization’s time, and no other organization’s', async () => {
    const [hostile, quiet] = [await viewer(), await viewer()]
    const yaml = `{${Array.from({ length: 5_000 }, (_, at) => `k${at}`).join(',')}}`
    let status = 200
    let checks = 0
    // One takes at least 3 ms anywhere, and 3 s are allowed.
    for (; status === 200 && checks < 2_000; checks += 1) {
      const response = await hostile.post(check, { yaml })
      status = response.statusCode
      if (status !== 200) {
        expect(status).toBe(429)
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
        expect(response.json()).toMatchObject({ code: 'rate_limited' })
      }
    }
    expect(status).toBe(429)
    expect(checks).toBeGreaterThan(10)
    expect((await quiet.post(check, { yaml: build })).json()).toMatchObject({ ok: true })
  })
})
