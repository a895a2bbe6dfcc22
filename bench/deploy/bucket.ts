import { createReadStream, linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../../config.ts'
import { freePorts } from '../../engines/free-ports.ts'
import { openArtifactStore } from '../../gateways/artifacts/open-artifact-store.ts'
import { goTools } from '../../test/peers/go-tools.ts'
import { startServer } from '../../test/peers/start-server.ts'
import { benchConfig } from '../config.ts'
import { atLeast, atMost, median, noted, type Held } from '../figures.ts'
import { watchMemory } from '../watch-memory.ts'
import { bareMs } from './bare.ts'

const rounds = benchConfig.rounds(5)
const megabytes = (usual: number) => Math.max(1, Math.round(usual * benchConfig.scale))
const [small, large] = [megabytes(20), megabytes(2_000)]
const keys = { id: 'artifacts', secret: 'a-secret-of-this-bench' }
const bucket = 'artifacts'

/** The limits of docs/decisions/0218-what-a-deployment-costs.md. */
const mayBe = { ratio: 0.8, gainedMb: 64 }

/**
 * Artifacts of 20 MB and 2 GB into a bucket of versitygw, beside the uploader of the AWS SDK with its usual settings: the
 * limit is that of the larger one.
 */
export async function intoBucket(): Promise<Held[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bench-bucket-'))
  const { s3: port } = await freePorts(['s3'])
  const bin = await goTools('versitygw', 'github.com/versity/versitygw/cmd/versitygw@v1.8.0')
  const root = join(folder, 'bucket')
  mkdirSync(join(root, bucket), { recursive: true })
  const server = await startServer(
    [join(bin, 'versitygw'), '--port', `127.0.0.1:${port}`, 'posix', root],
    { port, env: { ROOT_ACCESS_KEY: keys.id, ROOT_SECRET_KEY: keys.secret } },
  )
  try {
    const endpoint = `http://127.0.0.1:${port}`
    const rows: Held[] = []
    for (const size of [small, large]) rows.push(...(await beside(folder, endpoint, size)))
    return rows
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function beside(folder: string, endpoint: string, size: number): Promise<Held[]> {
  const path = join(folder, `bytes-${size}`)
  const ours: number[] = []
  const bare: number[] = []
  let gained = 0
  for (let round = 0; round <= rounds; round += 1) {
    // Other bytes each time, since the same ones are kept already.
    await bareMs('head -c "${SIZE}M" /dev/urandom > "$TO"', { SIZE: String(size), TO: path })
    // The store removes the file; the other uploader reads it afterwards.
    linkSync(path, `${path}-own`)
    const memory = watchMemory(() => ({ own: process.pid }))
    const own = await timed(async () => put(endpoint, `${path}-own`))
    memory.stop()
    const theirs = await timed(async () => bareUpload(endpoint, path, String(round)))
    // The first round loads the clients.
    if (round === 0) continue
    ours.push(own)
    bare.push(theirs)
    gained = Math.max(gained, memory.gained()['own'] ?? 0)
  }
  const [own, theirs] = [median(ours), median(bare)]
  const speed = `speed of ${size} MB into a bucket, of @aws-sdk/lib-storage (${own.toFixed(0)} ms, bare ${theirs.toFixed(0)} ms)`
  return [
    size === large
      ? atLeast(speed, [theirs / own, mayBe.ratio], '×')
      : noted(speed, theirs / own, '×'),
    atMost(`memory with ${size} MB into a bucket`, [gained, mayBe.gainedMb], 'MB'),
  ]
}

async function put(endpoint: string, path: string): Promise<void> {
  const store = openArtifactStore({
    artifactStore: {
      kind: 's3',
      bucket,
      prefix: '',
      region: 'us-east-1',
      endpoint,
      key: new Secret(`${keys.id}:${keys.secret}`),
    },
    extraCaFile: undefined,
  })
  await store.putFile(1, path, { maxBytes: 4 * 1024 ** 3 })
}

async function bareUpload(endpoint: string, path: string, name: string): Promise<void> {
  const { S3Client } = await import('@aws-sdk/client-s3')
  const { Upload } = await import('@aws-sdk/lib-storage')
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret },
  })
  const params = { Bucket: bucket, Key: `bare-${name}`, Body: createReadStream(path) }
  await new Upload({ client, params }).done()
  client.destroy()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}
