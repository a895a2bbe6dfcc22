import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Secret } from '../../../config.ts'
import { openArtifactStore } from '../../../gateways/artifacts/open-artifact-store.ts'
import { startMoto, type Keys, type Moto } from '../../harness/clouds/moto.ts'
import { hasPython } from '../../peers/python-tools.ts'
import { bucketTests } from './bucket-contract.ts'

// moto checks who may do what. versitygw, which checks signatures of bodies too: test/peers/artifacts.
describe.skipIf(!hasPython())('artifacts in a bucket of moto', { timeout: 60_000 }, () => {
  let moto: Moto
  let keys: Keys
  beforeAll(async () => {
    moto = await startMoto()
    await moto.setUp(async () => {
      keys = await moto.user('artifacts', ['s3:*'])
    })
  }, 600_000)
  afterAll(async () => moto?.stop())

  bucketTests(() => ({ endpoint: moto.url, ...keys }))
})

describe('a bucket that is away', () => {
  const bucketAt = (endpoint: string) =>
    openArtifactStore({
      extraCaFile: undefined,
      artifactStore: {
        kind: 's3',
        bucket: 'kept',
        prefix: '',
        region: 'us-east-1',
        endpoint,
        key: new Secret('a:b'),
      },
    })

  test('a port that nothing listens on is a store that cannot be used', async () => {
    const store = bucketAt('http://127.0.0.1:1')
    await expect(store.readProbe('api-1')).rejects.toMatchObject({
      code: 'artifact_store_unavailable',
    })
  }, 30_000)

  test('a removal that is not answered is cut off before the same bytes may be stored anew', async () => {
    let requests = 0
    const server = createServer(() => void (requests += 1)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    // 200 times as fast.
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 200))
    try {
      const { port } = server.address() as AddressInfo
      const store = bucketAt(`http://127.0.0.1:${port}`)
      await expect(store.remove(1, `sha256:${'a'.repeat(64)}`)).rejects.toMatchObject({
        code: 'artifact_store_unavailable',
      })
      // Below 2 minutes (store/runs/artifact-blobs.ts), with all that the library would try again.
      expect(asked).toHaveBeenCalledWith(60_000)
      expect(requests).toBe(1)
    } finally {
      asked.mockRestore()
      server.closeAllConnections()
      server.close()
    }
  }, 30_000)
})
