import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, rename, symlink, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { artifactsAtOnce } from '../../../api/artifacts/send-artifact.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { verifyProvenance } from '../../../domain/signing/verify-provenance.ts'
import { openPublicKey } from '../../../domain/signing/signing-key.ts'
import { applicationPipeline } from '../../harness/application-run.ts'
import {
  builtRun,
  manifestOfTest,
  type BuiltRun,
  type RunToBuild,
} from '../../harness/built-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('what a run of an application has built', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  let pipelineId: number
  let run: BuiltRun
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    owner = await org.user('Owner')
    pipelineId = await applicationPipeline(harness.deps, org.id)
    run = await built(randomBytes(3_000_000))
  })
  afterAll(async () => harness.close())

  const built = async (bytes: Buffer, options: Pick<RunToBuild, 'sign' | 'documents'> = {}) =>
    builtRun(harness.deps, owner, { pipelineId, bytes, ...options })
  const get = async (url: string, headers: Record<string, string> = {}, user = owner) =>
    user.get(url, { headers })
  const placeOf = (digest: string) =>
    join(harness.config.artifactDir, String(org.id), 'sha256', digest.slice(7, 9), digest.slice(7))
  const eventsOf = async (runId: number): Promise<string[]> =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const rows = await unwrap(tenant)
        .db('audit_entries')
        .where({ targetKind: 'run', targetId: String(runId) })
        .orderBy('id')
        .select('event')
      return rows.map(({ event }) => event)
    })
  /** Over a socket, as a client that the answer is cut off for. */
  const open = async (url: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${await owner.token()}`
    const asked = request(`${harness.config.baseUrl}${url}`, {
      headers: { authorization, ...headers },
    })
    onTestFinished(() => void asked.destroy())
    asked.on('error', () => undefined).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { asked, answer }
  }
  const readAll = async (answer: IncomingMessage) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => void chunks.push(chunk))
    const ending = await Promise.race([
      once(answer, 'end').then(() => 'end'),
      once(answer, 'error').then(() => 'broken'),
    ]).catch(() => 'broken')
    return { ending, bytes: Buffer.concat(chunks) }
  }

  test('200: the bytes, with their digest, size and name, and an entry in the audit log', async () => {
    const { statusCode, headers, rawPayload } = await get(`${run.url}/artifact`)
    expect(statusCode).toBe(200)
    expect(rawPayload.equals(run.bytes)).toBe(true)
    expect(headers).toMatchObject({
      etag: `"${run.digest}"`,
      'content-length': String(run.bytes.length),
      'accept-ranges': 'bytes',
      'content-type': 'application/zstd',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="app-[0-9a-f]{8}-\d+\.tar\.zst"; filename\*=UTF-8''app-/,
      ),
    })
    expect(await eventsOf(run.id)).toContain('pipeline.artifact_downloaded')
  })

  test('206, 416, 304: parts of it, and If-Range', async () => {
    const url = `${run.url}/artifact`
    const part = await get(url, { range: 'bytes=10-19' })
    expect([part.statusCode, part.headers['content-range']]).toEqual([
      206,
      `bytes 10-19/${run.bytes.length}`,
    ])
    expect(part.rawPayload.equals(run.bytes.subarray(10, 20))).toBe(true)
    const rest = await get(url, { range: 'bytes=2999990-', 'if-range': `"${run.digest}"` })
    expect([rest.statusCode, rest.rawPayload.equals(run.bytes.subarray(2_999_990))]).toEqual([
      206,
      true,
    ])
    const other = await get(url, { range: 'bytes=0-1', 'if-range': '"sha256:other"' })
    expect([other.statusCode, other.rawPayload.length]).toEqual([200, run.bytes.length])
    const none = await get(url, { range: `bytes=${run.bytes.length}-` })
    expect([none.statusCode, none.headers['content-range'], none.json().code]).toEqual([
      416,
      `bytes */${run.bytes.length}`,
      'range_not_satisfiable',
    ])
    const known = await get(url, { 'if-none-match': `"${run.digest}"` })
    expect([known.statusCode, known.body]).toEqual([304, ''])
  })

  test('broken off, logged and audited: one changed byte, of the whole and of a part', async () => {
    const damaged = await built(randomBytes(2_000_000))
    const place = placeOf(damaged.digest)
    const changed = Buffer.from(damaged.bytes)
    changed[7] = (changed[7] ?? 0) ^ 1
    await chmod(place, 0o600)
    await writeFile(place, changed)
    const { answer } = await open(`${damaged.url}/artifact`)
    expect(answer.statusCode).toBe(200)
    const { ending, bytes } = await readAll(answer)
    expect(ending).toBe('broken')
    expect(bytes.length).toBeLessThan(damaged.bytes.length)
    const part = await get(`${damaged.url}/artifact`, { range: 'bytes=1000000-1000009' })
    expect([part.statusCode, part.json().code]).toEqual([503, 'artifact_damaged'])
    await expect
      .poll(async () =>
        (await eventsOf(damaged.id)).filter((event) => event === 'pipeline.artifact_damaged'),
      )
      .toHaveLength(2)
    expect(harness.logged()).toContain('an artifact is damaged')
  })

  test('409: bytes that are gone; 409 again once it was swept, for all of it', async () => {
    const gone = await built(randomBytes(1_000))
    await rename(placeOf(gone.digest), `${placeOf(gone.digest)}.away`)
    const answer = await get(`${gone.url}/artifact`)
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'artifact_gone'])
    await harness.deps.store
      .platform('artifacts')
      .where({ pipelineRunId: gone.id })
      .update({ sweptAt: new Date(), provenance: null })
    for (const part of ['artifact', 'sbom', 'provenance', 'manifest']) {
      const swept = await get(`${gone.url}/${part}`)
      expect([part, swept.statusCode, swept.json().code]).toEqual([part, 409, 'artifact_gone'])
    }
    const shown = (await get(gone.url)).json().run.artifact
    expect(Date.parse(shown.keptUntil)).toBeLessThanOrEqual(Date.now())
  })

  test('503: a store that cannot be used', async () => {
    const away = await built(randomBytes(1_000))
    await rename(placeOf(away.digest), `${placeOf(away.digest)}.away`)
    await symlink('/etc/passwd', placeOf(away.digest))
    const answer = await get(`${away.url}/artifact`)
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'artifact_store_unavailable'])
  })

  test('200: its bill of materials, in both formats', async () => {
    const documents = { spdx: '{"spdxVersion":"SPDX-2.3"}', cyclonedx: '{"specVersion":"1.6"}' }
    const described = await built(randomBytes(100), { documents })
    const answers = await Promise.all(
      ['sbom', 'sbom?format=spdx', 'sbom?format=cyclonedx'].map(async (part) => {
        const { statusCode, body, headers } = await get(`${described.url}/${part}`)
        return [statusCode, body, headers['content-type']]
      }),
    )
    const json = 'application/json; charset=utf-8'
    expect(answers).toEqual([
      [200, documents.spdx, json],
      [200, documents.spdx, json],
      [200, documents.cyclonedx, json],
    ])
    expect((await get(`${described.url}/sbom?format=xml`)).statusCode).toBe(400)
    const { artifact, warnings } = (await get(described.url)).json().run
    expect([artifact.sbom, warnings]).toEqual([['spdx', 'cyclonedx'], []])
  })

  test('404: what was not made; runs of other pipelines and other organizations', async () => {
    const unsigned = await built(randomBytes(100), { sign: false })
    for (const part of ['sbom?format=spdx', 'sbom?format=cyclonedx', 'provenance'])
      expect((await get(`${unsigned.url}/${part}`)).statusCode, part).toBe(404)
    const elsewhere = await applicationPipeline(harness.deps, org.id)
    const stranger = await (await harness.organization()).user('Owner')
    for (const part of ['artifact', 'provenance', 'manifest', 'sbom']) {
      const other = `/api/pipelines/${elsewhere}/runs/${run.id}/${part}`
      expect((await get(other)).statusCode, part).toBe(404)
      expect((await get(`${run.url}/${part}`, {}, stranger)).statusCode, part).toBe(404)
    }
  })

  test('403: a Viewer reads what it is made of, and not its bytes', async () => {
    const viewer = await org.user('Viewer')
    expect((await get(`${run.url}/artifact`, {}, viewer)).statusCode).toBe(403)
    for (const part of ['provenance', 'manifest'])
      expect((await get(`${run.url}/${part}`, {}, viewer)).statusCode, part).toBe(200)
    expect((await get(`${run.url}/manifest`)).json()).toMatchObject({
      path: '.cloud-control/pipeline.yml',
      yaml: manifestOfTest,
    })
  })

  test('429: an organization’s fifth download at once is refused, and another one’s is not', async () => {
    const large = await built(randomBytes(24_000_000))
    const url = `${large.url}/artifact`
    const held = await Promise.all(
      Array.from({ length: artifactsAtOnce.people }, async () => open(url)),
    )
    const refused = await get(url)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_downloads'])
    for (const { asked } of held) asked.destroy()
    await expect.poll(async () => (await get(url)).statusCode).toBe(200)
  })

  test('the run shows its artifact; its provenance verifies with the organization’s key', async () => {
    const { artifact, warnings } = (await get(run.url)).json().run
    expect(artifact).toEqual({
      digest: run.digest,
      contentDigest: expect.stringMatching(/^sha256:/),
      sizeBytes: run.bytes.length,
      files: 1,
      keptUntil: null,
      sbom: [],
      signed: true,
    })
    expect(warnings).toEqual(['no_sbom'])
    const bundle = (await get(`${run.url}/provenance`)).json()
    const [key] = (await get('/api/org/signing-keys')).json().signingKeys
    const opened = openPublicKey(key.publicKey)
    if (!opened) throw new Error('no key')
    const keys = new Map([[key.keyId, opened]])
    const verified = verifyProvenance({ bundle, keys, digest: run.digest })
    expect(verified.runId).toBe(run.id)
    const { slug } = await harness.deps.store
      .platform('organizations')
      .where({ id: org.id })
      .first('slug')
    expect(verified.subject.startsWith(`${slug}/app-`)).toBe(true)
    expect(JSON.stringify(bundle)).not.toContain('PRIVATE')
  })
})
