import { isAbsolute, resolve } from 'node:path'
import type { Environment } from './environment.ts'
import type { Secret } from './secret.ts'

/** Where artifacts are kept. */
export type ArtifactStoreConfig =
  | { kind: 'folder'; dir: string }
  | {
      kind: 's3'
      bucket: string
      /** Without slashes around it; empty for the whole bucket. */
      prefix: string
      region: string
      /** Undefined: AWS's own. */
      endpoint: string | undefined
      /** `<access key id>:<secret access key>`. */
      key: Secret
    }

/** How a worker builds applications, and where it keeps what they made. */
export type BuildsConfig = Readonly<{
  /** Fetches and builds that a worker does at the same time. */
  buildSlots: number
  /** Folders of the host with toolchains, which every step of a build may read. */
  buildTools: readonly string[]
  /** The most memory of a step. */
  buildMemoryMb: number
  /** The folder on a disk for the work folders of builds. Default: derived from the data directory. */
  buildWorkDir: string | undefined
  artifactStore: ArtifactStoreConfig
  /** The folder on a disk for archives on their way to the store. */
  artifactDir: string
  /** The program that lists what an artifact is made of; without it no run has a bill of materials. */
  syftBin: string | undefined
}>

export function readBuilds(environment: Environment): BuildsConfig {
  const { values, faults, number, list } = environment
  const dataDir = resolve(values['CC_DATA_DIR'] ?? '.data')
  const buildTools = list('CC_BUILD_TOOLS').map((folder) => folder.trim())
  for (const folder of buildTools)
    if (!isAbsolute(folder) || resolve(folder) === '/')
      faults.push(`CC_BUILD_TOOLS: "${folder}" is not the absolute path of a folder`)
  const syftBin = values['CC_SYFT_BIN']
  if (syftBin && !isAbsolute(syftBin))
    faults.push(`CC_SYFT_BIN: "${syftBin}" is not the absolute path of a program`)
  const artifactStore = readArtifactStore(environment, `${dataDir}/artifacts`)
  return {
    buildSlots: number('CC_BUILD_SLOTS', 2, [1, 64]),
    buildTools,
    buildMemoryMb: number('CC_BUILD_MEMORY_MB', 4_096, [256, 1_048_576]),
    buildWorkDir: values['CC_BUILD_WORK_DIR'] ? resolve(values['CC_BUILD_WORK_DIR']) : undefined,
    artifactStore,
    artifactDir: artifactStore.kind === 'folder' ? artifactStore.dir : `${dataDir}/artifacts`,
    syftBin: syftBin === '' ? undefined : syftBin,
  }
}

function readArtifactStore(
  { values, faults, secret }: Environment,
  fallback: string,
): ArtifactStoreConfig {
  const store = values['CC_ARTIFACT_STORE'] || fallback
  if (!store.includes('://')) return { kind: 'folder', dir: resolve(store) }
  const fault = (message: string) => faults.push(`CC_ARTIFACT_STORE: ${message}`)
  const key = secret('CC_ARTIFACT_STORE_KEY')
  const url = URL.parse(store)
  const nothing = { kind: 'folder', dir: resolve(fallback) } as const
  if (url?.protocol !== 's3:') {
    fault('is neither a folder nor s3://bucket/prefix?endpoint=&region=')
    return nothing
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) fault('names no bucket')
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  if (!/^[\w!.*'()/-]{0,400}$/.test(prefix) || prefix.split('/').includes('..'))
    fault('has a prefix with other signs than letters, digits and !-_.*()/')
  for (const name of url.searchParams.keys())
    if (name !== 'endpoint' && name !== 'region') fault(`has an unknown setting "${name}"`)
  const endpoint = url.searchParams.get('endpoint') || undefined
  const at = endpoint === undefined ? undefined : URL.parse(endpoint)
  if (endpoint !== undefined && (!at || !/^https?:$/.test(at.protocol) || at.username || at.search))
    fault('has an endpoint that is not http://host:port or https://host')
  if (!key || !/^[^:\s]+:\S+$/.test(key.reveal())) {
    faults.push(
      'CC_ARTIFACT_STORE_KEY is not "<access key id>:<secret access key>", which CC_ARTIFACT_STORE needs',
    )
    return nothing
  }
  const region = url.searchParams.get('region') || 'us-east-1'
  return { kind: 's3', bucket: url.hostname, prefix, region, endpoint, key }
}
