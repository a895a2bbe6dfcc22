import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { bucketTests } from '../../gateways/artifacts/bucket-contract.ts'
import { freePort } from '../../harness/create-harness.ts'
import { startServer, type PeerServer } from '../start-server.ts'
import { goTools } from '../go-tools.ts'

const goPackage = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'
const keys = { accessKeyId: 'artifacts', secretAccessKey: 'a-secret-of-this-test' }

// An S3 gateway that checks each signature, over a folder. Without Go or its module proxy: go install with the
// package above.
describe('artifacts in a bucket of versitygw', { timeout: 120_000 }, () => {
  let server: PeerServer
  let port = 0
  const folder = mkdtempSync(join(tmpdir(), 'versitygw-'))
  beforeAll(async () => {
    const bin = await goTools('versitygw', goPackage)
    port = await freePort()
    server = await startServer(
      [join(bin, 'versitygw'), '--port', `127.0.0.1:${port}`, 'posix', folder],
      {
        port,
        env: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
      },
    )
  }, 900_000)
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  bucketTests(() => ({ endpoint: `http://127.0.0.1:${port}`, ...keys }))
})
