import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  test('a port that nothing listens on is a store that cannot be used', async () => {
    const store = openArtifactStore({
      extraCaFile: undefined,
      artifactStore: {
        kind: 's3',
        bucket: 'kept',
        prefix: '',
        region: 'us-east-1',
        endpoint: 'http://127.0.0.1:1',
        key: new Secret('a:b'),
      },
    })
    await expect(store.readProbe('api-1')).rejects.toMatchObject({
      code: 'artifact_store_unavailable',
    })
  }, 30_000)
})
