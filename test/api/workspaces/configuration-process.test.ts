import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { configurationReaders as reading } from '../../harness/configuration-readers.ts'
import type { TestUser } from '../../harness/test-user.ts'

/** Above what the API reads itself. */
const long = `# ${'x'.repeat(100_000)}\n`
const main = { 'main.tf': 'resource "terraform_data" "a" {}\n' }

const killAll = () => reading().forEach((pid) => process.kill(pid, 'SIGKILL'))
async function endAll(): Promise<void> {
  killAll()
  await expect.poll(reading, { timeout: 20_000, interval: 5 }).toEqual([])
}

describe('configurations above 64 KiB', () => {
  let harness: Harness
  let owner: TestUser
  let url: string
  beforeAll(async () => {
    harness = await createHarness()
    const org = await harness.organization()
    owner = await org.user('Owner')
    url = `${(await org.workspace({ by: owner, files: main })).url}/configuration`
  })
  afterAll(async () => {
    killAll()
    await harness.close()
  })

  const send = async (body: string | Buffer, by = owner, to = url) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await by.put(to, undefined, { payload: body, headers })
    return [answer.statusCode, answer.json()]
  }

  test('201: a version with the same hash as the same files would have below, and 200 for them again', async () => {
    const files = { ...main, 'b/a.tf': long, 'a.tf': '# é "\u0001' }
    const [status, { configuration }] = await send(JSON.stringify({ files }))
    expect([status, configuration.fileNames]).toEqual([201, ['a.tf', 'b/a.tf', 'main.tf']])
    expect((await owner.get(url)).json().configuration.files).toEqual(files)
    const rows = await harness.deps.store
      .platform('configuration_versions')
      .where({ id: configuration.id })
      .first('filesSha256', 'sizeBytes')
    const { prepareFiles } = await import('../../../domain/workspaces/prepared-files.ts')
    const { sha256, sizeBytes } = prepareFiles(files)
    expect(rows).toEqual({ filesSha256: sha256, sizeBytes })
    expect(await send(` {"files" : ${JSON.stringify(files)} }`)).toMatchObject([
      200,
      { configuration: { number: configuration.number } },
    ])
  })

  // Each with the body that a request of any size gets the same answer for, but for what makes it large.
  test.each([
    ['no JSON', (text: string) => `{"files":{"a.tf":${text}}`],
    ['a field twice', (text: string) => `{"files":{},"files":{"a.tf":${text}}}`],
    ['a prototype', (text: string) => `{"files":{"__proto__":${text}}}`],
    ['no object', (text: string) => `[${text}]`],
    ['an unknown field', (text: string) => `{"files":{"main.tf":${text}},"more":1}`],
    ['no files', (text: string) => `{"fils":{"main.tf":${text}}}`],
    ['files that are a list', (text: string) => `{"files":[${text}]}`],
    ['a file that is no text', (text: string) => `{"files":{"main.tf":${text},"b.tf":5}}`],
    ['a NUL', (text: string) => `{"files":{"main.tf":${text},"b.tf":"\\u0000"}}`],
    ['an absolute path', (text: string) => `{"files":{"main.tf":${text},"/etc/passwd":""}}`],
    ['no module', (text: string) => `{"files":{"a/main.tf":${text}}}`],
    [
      'an encryption block',
      (text: string) => `{"files":{"main.tf":${text},"b.tf":"terraform {\\n encryption {}\\n}"}}`,
    ],
    ['an empty object', (text: string) => `{"files":{}}${' '.repeat(text.length)}`],
    [
      'deep objects',
      (text: string) =>
        `{"files":{"a.tf":${text},"b.tf":"terraform encryption ${'{'.repeat(2_000)}"}}`,
    ],
  ])('400: %s, as of a smaller body', async (_, body) => {
    const [status, large] = await send(body(JSON.stringify(long)))
    const [of, small] = await send(body('"# x"'))
    expect([status, of]).toEqual([400, 400])
    const { details: largeDetails = [], ...rest } = large
    const { details = [], ...others } = small
    const plain = (text: unknown) => JSON.stringify(text).replace(/column\W+\d+/g, 'column')
    expect(plain(rest)).toBe(plain(others))
    expect(plain(largeDetails)).toBe(plain(details))
  })

  test('400: bytes that are no UTF-8', async () => {
    const bytes = Buffer.from(JSON.stringify({ files: { 'main.tf': long } }))
    bytes[100] = 0xff
    expect(await send(bytes)).toMatchObject([400, { code: 'malformed_json' }])
  })

  test('404 before any fault: another organization’s workspace', async () => {
    const stranger = await (await harness.organization()).user('Owner')
    expect((await send(`{"files":${JSON.stringify(long)}`, stranger))[0]).toBe(404)
    expect((await send(JSON.stringify({ files: { 'main.tf': long } }), stranger))[0]).toBe(404)
  })

  test('503: the process was killed; the next one is read by another', async () => {
    const good = JSON.stringify({ files: { 'main.tf': `${long}${'# y\n'.repeat(250_000)}` } })
    await endAll()
    const sent = send(good)
    await expect.poll(reading, { timeout: 20_000, interval: 1 }).not.toEqual([])
    killAll()
    expect(await sent).toMatchObject([503, { code: 'configuration_unreadable' }])
    expect((await send(good))[0]).toBe(201)
  })

  test('429: more than 16 MiB at once, however they were answered; others go on', async () => {
    const org = await harness.organization()
    const sender = await org.user('Owner')
    const to = `${(await org.workspace({ by: sender, files: main })).url}/configuration`
    const odd = Buffer.alloc(9 * 1_048_576, ' ')
    const headers = { 'content-type': 'application/json' }
    const put = async () => sender.put(to, undefined, { payload: odd, headers })
    expect((await put()).statusCode).toBe(400)
    let refused = await put()
    expect(refused.statusCode).toBe(400)
    // A slow machine may take longer for one than the allowance of its excess does.
    for (let more = 0; more < 5 && refused.statusCode === 400; more += 1) refused = await put()
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_uploads'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    // What is small costs nothing that is counted.
    expect((await send(JSON.stringify({ files: main }), sender, to))[0]).toBe(200)
    expect((await send(JSON.stringify({ files: { 'main.tf': long } })))[0]).toBeLessThan(300)
  })

  test('uploads of one organization at once are read one after the other, by one process', async () => {
    await endAll()
    const all = await Promise.all(
      [1, 2, 3, 4].map(async (n) =>
        send(JSON.stringify({ files: { 'main.tf': `${long}# ${n}` } })),
      ),
    )
    expect(all.map(([status]) => status)).toEqual([201, 201, 201, 201])
    expect(reading()).toHaveLength(1)
  })
})
