import { faultOfPipelineKey } from '../../domain/pipelines/variables-of-pipeline.ts'

const hookNames = ['install', 'activate', 'health', 'rollback'] as const
export type HookName = (typeof hookNames)[number]
const actions = ['deploy', 'install', 'activate', 'rollback', 'verify'] as const
export type Action = (typeof actions)[number]

export type Hook = { path: string; repeatable: boolean; timeoutMs: number }
export type Hooks = Partial<Record<HookName, Hook>>

export type Release = {
  /** `sha256:…` of the stored bytes. */
  digest: string
  contentDigest: string
  sizeBytes: number
  /** A Sigstore bundle. It is verified, so it is taken as it came. */
  provenance: unknown
  runId: string | number | null
}

export type Deployment = {
  /** As it came, to be sent back. Its text is a plain name of a file. */
  id: string | number
  fence: string | number
  action: Action
  leaseUntil: string
  release: Release
  hooks: Hooks
  keep: number
  env: readonly { key: string; value: string; sensitive: boolean }[]
  /** Hooks, limits and names of variables as the organization signed them. It is verified, so it is taken as it came. */
  order: unknown
}

/** What `gateways/artifacts/pack-artifact.ts` makes at most. */
const maxArtifactBytes = 2 * 1024 ** 3
const usualTimeoutSeconds = 300
const longestSeconds = 3_600

/**
 * Reads what the service wants done. Every part that becomes a path, an environment or a limit is checked, so
 * that a service that was taken over can only ask for what the protocol has.
 */
export function readClaim(value: unknown): Deployment {
  const given = objectOf(value, 'deployment')
  const release = objectOf(given['release'], 'release')
  const action = actions.find((one) => one === given['action'])
  if (!action) throw new ClaimFault('action')
  return {
    id: idOf(given['id'], 'id'),
    fence: idOf(given['fence'], 'fence'),
    action,
    leaseUntil: textOf(given['leaseUntil'], 'leaseUntil', /^.{1,64}$/),
    release: {
      digest: textOf(release['digest'], 'release.digest', digestForm),
      contentDigest: textOf(release['contentDigest'], 'release.contentDigest', digestForm),
      sizeBytes: wholeOf(release['sizeBytes'], 'release.sizeBytes', [1, maxArtifactBytes]),
      provenance: release['provenance'],
      runId: release['runId'] == null ? null : idOf(release['runId'], 'release.runId'),
    },
    hooks: readHooks(given['hooks'], given['timeouts']),
    keep: given['keep'] === undefined ? 3 : wholeOf(given['keep'], 'keep', [2, 20]),
    env: readEnv(given['env']),
    order: given['order'],
  }
}

/** A claim that no version of the service makes. Names the part, and repeats nothing of it. */
export class ClaimFault extends Error {
  constructor(part: string) {
    super(`the claim has no valid ${part}`)
  }
}

const digestForm = /^sha256:[0-9a-f]{64}$/

function readHooks(value: unknown, timeouts: unknown): Hooks {
  const given = objectOf(value ?? {}, 'hooks')
  const seconds = objectOf(timeouts ?? {}, 'timeouts')
  return Object.fromEntries(
    hookNames.flatMap((name) => {
      if (given[name] == null) return []
      const hook = objectOf(given[name], `hooks.${name}`)
      const timeout = wholeOf(seconds[name] ?? usualTimeoutSeconds, `timeouts.${name}`, [
        1,
        longestSeconds,
      ])
      const path = textOf(hook['path'], `hooks.${name}.path`, /^(?!\/)[^\0\\]{1,500}$/)
      if (path.split('/').some((part) => ['', '.', '..'].includes(part)))
        throw new ClaimFault(`hooks.${name}.path`)
      return [[name, { path, repeatable: hook['repeatable'] === true, timeoutMs: timeout * 1_000 }]]
    }),
  )
}

function readEnv(value: unknown): Deployment['env'] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > 1_000) throw new ClaimFault('env')
  return value.map((one: unknown) => {
    const { key, value: text, sensitive } = objectOf(one, 'env')
    return {
      key: keyOfVariable(key),
      value: textOf(text, 'env', /^[^\0]*$/),
      // What is not said to be public is masked.
      sensitive: sensitive !== false,
    }
  })
}

/** What the service sets itself (app/agents/hook-environment.ts). What only the host knows is not among it. */
const ownKey = /^CC_(?:RUN_ID|RELEASE_DIGEST|COMMIT|PIPELINE|WORKSPACE|OUT_[A-Z0-9_]{1,248})$/

/**
 * By the API's rule for variables of a pipeline, here once more: who can write the service's database and passes
 * that rule by would run commands on each host by `BASH_ENV` or `NODE_OPTIONS`, with hooks that are signed.
 */
function keyOfVariable(value: unknown): string {
  const key = textOf(value, 'env', /^[A-Za-z_][A-Za-z0-9_]{0,255}$/)
  if (!ownKey.test(key) && faultOfPipelineKey(key)) throw new ClaimFault('env')
  return key
}

function objectOf(value: unknown, part: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new ClaimFault(part)
}

function textOf(value: unknown, part: string, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value
  throw new ClaimFault(part)
}

function wholeOf(value: unknown, part: string, [least, most]: readonly [number, number]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return value
  throw new ClaimFault(part)
}

function idOf(value: unknown, part: string): string | number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  return textOf(value, part, /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
}
