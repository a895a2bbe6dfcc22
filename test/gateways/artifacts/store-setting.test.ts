import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../config.ts'

const read = (env: Record<string, string>) =>
  readConfig({
    DATABASE_URL: 'postgres://nobody@localhost/none',
    TEMPORAL_ADDRESS: 'localhost:1',
    CC_KEYRING: `k=${Buffer.alloc(32).toString('base64')}`,
    CC_DATA_DIR: '/data',
    ...env,
  })
const faultsOf = (env: Record<string, string>): string => {
  try {
    read(env)
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}
const key = { CC_ARTIFACT_STORE_KEY: 'an-id:a-secret/with+signs:and-colons' }

describe('CC_ARTIFACT_STORE', () => {
  test('a folder, by default in the data directory; a bucket with its prefix, region and endpoint', () => {
    expect(read({}).artifactStore).toEqual({ kind: 'folder', dir: '/data/artifacts' })
    expect(read({ CC_ARTIFACT_STORE: '/srv/a' }).artifactDir).toBe('/srv/a')
    const store =
      's3://my-bucket/kept/artifacts/?region=eu-central-1&endpoint=http://127.0.0.1:9000'
    const { artifactStore, artifactDir } = read({ CC_ARTIFACT_STORE: store, ...key })
    expect(artifactStore).toMatchObject({
      kind: 's3',
      bucket: 'my-bucket',
      prefix: 'kept/artifacts',
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:9000',
    })
    expect(artifactDir).toBe('/data/artifacts')
    expect(JSON.stringify(artifactStore)).not.toContain('a-secret')
    expect(read({ CC_ARTIFACT_STORE: 's3://bucket', ...key }).artifactStore).toMatchObject({
      prefix: '',
      region: 'us-east-1',
      endpoint: undefined,
    })
  })

  test.each([
    ['gs://bucket', 'is neither a folder nor s3://'],
    ['s3://UPPER', 'names no bucket'],
    ['s3://bucket/../up%2f..', 'has a prefix with other signs'],
    ['s3://bucket/a?regoin=x', 'has an unknown setting "regoin"'],
    ['s3://bucket/a?endpoint=ftp://x', 'has an endpoint that is not'],
    ['s3://bucket/a?endpoint=https://user:pw@x', 'has an endpoint that is not'],
  ])('%s is a fault', (store, fault) => {
    expect(faultsOf({ CC_ARTIFACT_STORE: store, ...key })).toContain(`CC_ARTIFACT_STORE: ${fault}`)
  })

  test('a bucket without a key is a fault that does not print it', () => {
    expect(faultsOf({ CC_ARTIFACT_STORE: 's3://bucket' })).toContain('CC_ARTIFACT_STORE_KEY is not')
    const wrong = faultsOf({
      CC_ARTIFACT_STORE: 's3://bucket',
      CC_ARTIFACT_STORE_KEY: 'secretless',
    })
    expect(wrong).toContain('CC_ARTIFACT_STORE_KEY is not')
    expect(wrong).not.toContain('secretless')
    expect(faultsOf({ CC_SYFT_BIN: 'syft' })).toContain('CC_SYFT_BIN: "syft"')
  })
})
