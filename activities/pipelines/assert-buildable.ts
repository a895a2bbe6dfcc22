import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { secondsOf } from '../../domain/manifest/meaning-faults.ts'
import type { BuildLimits, BuildStep } from '../../gateways/runner/protocol.ts'
import type { OrganizationSettings } from '../../store/organizations/settings.ts'
import { RunFault } from './run-fault.ts'

export type BuildPlan = {
  steps: BuildStep[]
  timeoutMs: number
  limits: BuildLimits
  isOnline: boolean
  warnings: string[]
}

/** What the manifest asks for, or why this organization or this worker does not give it. */
export function assertBuildable(
  build: Manifest['build'],
  given: { buildNetwork: OrganizationSettings['buildNetwork']; limits: BuildLimits },
): BuildPlan {
  const refuse = (message: string) => new RunFault('build_errored', message)
  const isOnline = build.network === 'public'
  if (isOnline && given.buildNetwork !== 'public')
    throw refuse(
      'The manifest asks for the network, and the settings of this organization give builds none. An Org Admin can change that; or write "network: none".',
    )
  const [secret] = build.secrets ?? []
  if (secret !== undefined)
    throw refuse(`The manifest names the secret ${secret}, and the pipeline has no such variable.`)
  const memoryBytes = build.memory ? bytesOf(build.memory) : given.limits.memoryBytes
  if (memoryBytes > given.limits.memoryBytes)
    throw refuse(
      `The manifest asks for ${build.memory} of memory, and a step may have ${Math.floor(given.limits.memoryBytes / 1024 ** 2)} MiB here.`,
    )
  const timeoutMs = secondsOf(build.timeout ?? '1h') * 1_000
  return {
    steps: (build.steps ?? []).map((step, at) => ({
      name: step.name ?? `step ${at + 1}`,
      run: step.run,
      workdir: step.workdir ?? '.',
      env: step.env ?? {},
      timeoutMs: step.timeout === undefined ? timeoutMs : secondsOf(step.timeout) * 1_000,
    })),
    timeoutMs,
    limits: { ...given.limits, memoryBytes },
    isOnline,
    warnings: build.cache?.length
      ? ['Caches are not kept by this version: the build begins without them.']
      : [],
  }
}

/** `512MiB` or `2GiB`, as the schema has it. */
const bytesOf = (text: string): number =>
  parseInt(text, 10) * (text.endsWith('GiB') ? 1024 ** 3 : 1024 ** 2)
