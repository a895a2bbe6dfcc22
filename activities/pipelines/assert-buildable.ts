import type { PipelineValue } from '../../app/pipelines/values-of-pipeline.ts'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { secondsOf } from '../../domain/manifest/meaning-faults.ts'
import { whyNotMasked } from '../../domain/runs/why-not-masked.ts'
import type { BuildLimits, BuildStep } from '../../gateways/runner/protocol.ts'
import type { OrganizationSettings } from '../../store/organizations/settings.ts'
import { RunFault } from './run-fault.ts'

export type BuildPlan = {
  steps: BuildStep[]
  /** What every step is given. */
  variables: Record<string, string>
  /** What must not appear in the log. */
  secrets: Array<{ key: string; value: string }>
  timeoutMs: number
  limits: BuildLimits
  isOnline: boolean
}

/** What the manifest asks for, or why this organization or this worker does not give it. */
export function assertBuildable(
  build: Manifest['build'],
  given: {
    buildNetwork: OrganizationSettings['buildNetwork']
    limits: BuildLimits
    /** The build variables of the pipeline. */
    values: readonly PipelineValue[]
  },
): BuildPlan {
  const refuse = (message: string) => new RunFault('build_errored', message)
  const isOnline = build.network === 'public'
  if (isOnline && given.buildNetwork !== 'public')
    throw refuse(
      'The manifest asks for the network, and the settings of this organization give builds none. An Org Admin can change that; or write "network: none".',
    )
  const { variables, secrets } = valuesFor(build, given.values)
  // Before anything is said of the build: its masks would fail at the first line.
  const unmaskable = whyNotMasked(secrets)
  if (unmaskable !== undefined) throw refuse(unmaskable)
  const memoryBytes = build.memory ? bytesOf(build.memory) : given.limits.memoryBytes
  if (memoryBytes > given.limits.memoryBytes)
    throw refuse(
      `The manifest asks for ${build.memory} of memory, and a step may have ${Math.floor(given.limits.memoryBytes / 1024 ** 2)} MiB here.`,
    )
  const timeoutMs = secondsOf(build.timeout ?? '1h') * 1_000
  return {
    variables,
    secrets,
    steps: (build.steps ?? []).map((step, at) => ({
      name: step.name ?? `step ${at + 1}`,
      run: step.run,
      workdir: step.workdir ?? '.',
      env: {
        ...step.env,
        ...Object.fromEntries(
          secrets
            .filter(({ key }) => step.secrets?.includes(key))
            .map(({ key, value }) => [key, value]),
        ),
      },
      timeoutMs: step.timeout === undefined ? timeoutMs : secondsOf(step.timeout) * 1_000,
    })),
    timeoutMs,
    limits: { ...given.limits, memoryBytes },
    isOnline,
  }
}

/**
 * A variable that is not sensitive is given to every step, a sensitive one to those that name it. All
 * sensitive ones are masked, so that a value which a step has from elsewhere is masked too.
 */
function valuesFor(
  build: Manifest['build'],
  values: readonly PipelineValue[],
): Pick<BuildPlan, 'variables' | 'secrets'> {
  const secrets = values.filter(({ sensitive }) => sensitive)
  const plain = values.filter(({ sensitive }) => !sensitive)
  for (const name of build.secrets ?? []) {
    if (secrets.some(({ key }) => key === name)) continue
    throw new RunFault(
      'build_errored',
      plain.some(({ key }) => key === name)
        ? `The manifest names the secret ${name}, and the build variable ${name} of the pipeline is not sensitive. Make it sensitive, or take it out of "secrets".`
        : `The manifest names the secret ${name}, and the pipeline has no sensitive build variable of this name.`,
    )
  }
  return {
    variables: Object.fromEntries(plain.map(({ key, value }) => [key, value])),
    secrets: secrets.map(({ key, value }) => ({ key, value })),
  }
}

/** `512MiB` or `2GiB`, as the schema has it. */
const bytesOf = (text: string): number =>
  parseInt(text, 10) * (text.endsWith('GiB') ? 1024 ** 3 : 1024 ** 2)
