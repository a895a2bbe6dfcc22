import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BillFile, Bills, FoundSlice } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import { cloudDeps } from '../../harness/clouds/cloud-target.ts'
import { type ScriptedGoogle, startScriptedGoogle } from '../../harness/clouds/scripted-google.ts'
import { freePort } from '../../harness/create-harness.ts'
import { cuttableLink } from '../../harness/cuttable-link.ts'
import { goTools } from '../go-tools.ts'
import { type PeerServer, startServer } from '../start-server.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const serviceAccountKey = JSON.stringify({
  client_email: 'reader@project-42.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
})
// Each test has its own time: the server of some is built first.
let signal: AbortSignal
beforeEach(() => {
  signal = AbortSignal.timeout(240_000)
})
const large = randomBytes(9_000_001)
const packed = gzipSync('BilledCost\n1\n')
const odd = "part ü & 1+2 #3 100% '(4)' ;=,.csv"

// Cloud Storage by an emulator that others wrote. It asks for no token; tokens are those of a scripted Google.
describe('the bill of a Google account, by fake-gcs-server', () => {
  let server: PeerServer
  let google: ScriptedGoogle
  let port: number
  let origin: string
  const folder = mkdtempSync(join(tmpdir(), 'bills-'))
  const post = async (path: string, headers: Record<string, string>, body: Buffer) => {
    const sent = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    })
    if (!sent.ok) throw new Error(`${path}: ${sent.status} ${await sent.text()}`)
  }
  const put = async (name: string, body: Buffer) =>
    post(
      `/upload/storage/v1/b/bills/o?uploadType=media&name=${encodeURIComponent(name)}`,
      { 'content-type': 'application/octet-stream' },
      body,
    )
  /** As `gsutil cp -Z` stores it: the file is the packed bytes, and says so. */
  const putPacked = async (name: string, body: Buffer) => {
    const meta = JSON.stringify({ name, contentEncoding: 'gzip', contentType: 'text/csv' })
    const content = Buffer.concat([
      Buffer.from(`--cut\r\nContent-Type: application/json\r\n\r\n${meta}\r\n`),
      Buffer.from('--cut\r\nContent-Type: text/csv\r\n\r\n'),
      body,
      Buffer.from('\r\n--cut--\r\n'),
    ])
    const type = { 'content-type': 'multipart/related; boundary=cut' }
    await post('/upload/storage/v1/b/bills/o?uploadType=multipart', type, content)
  }
  beforeAll(async () => {
    const bin = await goTools('fake-gcs-server', 'github.com/fsouza/fake-gcs-server@v1.56.0')
    port = await freePort()
    origin = `http://127.0.0.1:${port}`
    const at = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port)]
    server = await startServer(
      [
        join(bin, 'fake-gcs-server'),
        ...at,
        '-backend=memory',
        '-log-level=error',
        `-public-host=127.0.0.1:${port}`,
      ],
      { port },
    )
    google = await startScriptedGoogle()
    const json = { 'content-type': 'application/json' }
    await post('/storage/v1/b?project=project-42', json, Buffer.from('{"name":"bills"}'))
    await put('costs/2026-10/0.parquet', large)
    await put(`costs/2026-10/${odd}`, Buffer.from('odd'))
    await putPacked('costs/2026-10/packed.csv.gz', packed)
    await put('costs/2026-10/_SUCCESS', Buffer.alloc(0))
    await put('costs-old/2026-11/0.parquet', Buffer.from('x'))
    // Past one page of a list.
    for (let n = 0; n < 1_010; n += 1) await put(`costs/2026-09/${n}.parquet`, Buffer.from('x'))
  }, 600_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await google?.cloud.stop()
    await server?.stop()
  })

  const open = openedClouds({
    provider: 'gcp',
    accountId: 'project-42',
    credentials: { serviceAccountKey },
  })
  const billsOf = async (more: { billing?: object; storagePort?: number } = {}): Promise<Bills> => {
    const { url } = google.cloud
    const at = more.storagePort ?? port
    const cloud = await open(
      google.cloud,
      {
        endpoints: { identity: url, resources: url, storage: `http://127.0.0.1:${at}` },
        billing: { bucket: 'bills', prefix: 'costs', ...more.billing },
      },
      { outbound: cloudDeps([google.cloud.port, at]).outbound },
    )
    const bills = cloud.bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const october = async (bills: Bills): Promise<FoundSlice> => {
    const found = (await bills.find(signal)).find(({ period }) => period === '2026-10')
    if (!found) throw new Error('no slice')
    return found
  }
  const fileOf = ({ files }: FoundSlice, name: string): BillFile => {
    const file = files.find(({ key }) => key.endsWith(`/${name}`))
    if (!file) throw new Error(`no ${name}`)
    return file
  }
  const fetched = async (bills: Bills, file: BillFile, name: string) => {
    const path = join(folder, name)
    await bills.fetch(file, path, { signal, onBytes: () => undefined })
    return readFileSync(path)
  }

  test('is found, all pages of it, and fetched', async () => {
    const bills = await billsOf()
    const found = await bills.find(signal)
    expect(found.map(({ period, state, files }) => [period, state, files.length])).toEqual([
      ['2026-10', 'ready', 3],
      ['2026-09', 'ready', 1_010],
    ])
    const newest = await october(bills)
    expect((await fetched(bills, fileOf(newest, '0.parquet'), 'large')).equals(large)).toBe(true)
    expect((await fetched(bills, fileOf(newest, odd), 'odd')).toString()).toBe('odd')
    expect((await october(await billsOf())).hash).toBe(newest.hash)
  })

  test('comes as it is stored where it is stored as gzip', async () => {
    const bills = await billsOf()
    const file = fileOf(await october(bills), 'packed.csv.gz')
    expect(file.size).toBe(packed.length)
    expect((await fetched(bills, file, 'packed')).equals(packed)).toBe(true)
  })

  test('is fetched from where it broke off', async () => {
    const link = await cuttableLink(`127.0.0.1:${port}`)
    const storagePort = Number(link.address.split(':')[1])
    const bills = await billsOf({ storagePort })
    const file = fileOf(await october(bills), '0.parquet')
    const path = join(folder, 'cut')
    let cuts = 0
    let written = 0
    const onBytes = (bytes: number) => {
      written += bytes
      if (cuts === 3) return
      cuts += 1
      void link.cut().then(() => link.mend())
    }
    await bills.fetch(file, path, { signal, onBytes })
    expect(cuts).toBe(3)
    // Nothing twice: what was there is not asked for again.
    expect(written).toBe(large.length)
    expect(readFileSync(path).equals(large)).toBe(true)
    await link.close()

    const half = join(folder, 'half')
    writeFileSync(half, large.subarray(0, 4_000_000))
    let rest = 0
    const own = await billsOf()
    await own.fetch(file, half, { signal, onBytes: (bytes) => void (rest += bytes) })
    expect(rest).toBe(large.length - 4_000_000)
    expect(readFileSync(half).equals(large)).toBe(true)
  })

  test('is not put together of two versions, and one that is gone is looked for again', async () => {
    await put('changing/2026-10/0.parquet', Buffer.from('one'))
    await put('changing/2026-10/1.parquet', Buffer.from('one'))
    const bills = await billsOf({ billing: { prefix: 'changing' } })
    const found = await october(bills)
    await put('changing/2026-10/0.parquet', Buffer.from('two'))
    const gone = encodeURIComponent('changing/2026-10/1.parquet')
    await fetch(`${origin}/storage/v1/b/bills/o/${gone}`, { method: 'DELETE' })
    for (const name of ['0.parquet', '1.parquet'])
      await expect(fetched(bills, fileOf(found, name), name)).rejects.toMatchObject({
        kind: 'changed',
      })
    expect((await october(bills)).hash).not.toBe(found.hash)
  })

  test('says that there is no such bucket', async () => {
    const bills = await billsOf({ billing: { bucket: 'none' } })
    await expect(bills.find(signal)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'Google has no such bucket. Check billing.bucket.',
    })
  })
})
