import { quote, type ValuePath } from './manifest-fault.ts'
import type { Manifest } from './manifest-schema.ts'
import { nearestWord } from './nearest-word.ts'
import type { SpotFault } from './schema-faults.ts'
import { knownStrategies, strategyKey, strategyNamed } from './strategy-names.ts'

type Deploy = NonNullable<Manifest['deploy']>
type Note = (path: ValuePath, message: string, key?: string) => void

/** What no schema can say of a manifest that keeps to its schema. */
export function judgeMeaning(manifest: Manifest): { faults: SpotFault[]; warnings: SpotFault[] } {
  const [faults, warnings]: [SpotFault[], SpotFault[]] = [[], []]
  const noteIn =
    (list: SpotFault[]): Note =>
    (path, message, key) =>
      void list.push({ path, say: () => message, ...(key !== undefined && { key }) })
  const [fault, warn] = [noteIn(faults), noteIn(warnings)]
  judgeSecrets(manifest.build, fault, warn)
  judgeTimes(manifest.build, fault)
  const { deploy } = manifest
  if (deploy) {
    judgeStrategies(deploy, fault)
    judgeOutputs(deploy, fault)
    if (deploy.via === 'workspace') warnOfUnused(deploy, warn)
    else if (deploy.hooks && !deploy.hooks.health) warn(['deploy', 'hooks'], noHealth)
  }
  return { faults, warnings }
}

const noHealth =
  'there is no hook "health": a host counts as healthy once the others end with 0. Add it to notice a release that does not work'

function judgeSecrets(
  { secrets = [], steps = [] }: Manifest['build'],
  fault: Note,
  warn: Note,
): void {
  const declared = new Set(secrets)
  const used = new Set(steps.flatMap((step) => step.secrets ?? []))
  for (const [at, step] of steps.entries()) {
    for (const [n, name] of (step.secrets ?? []).entries()) {
      if (!declared.has(name))
        fault(
          ['build', 'steps', at, 'secrets', n],
          `${quote(name)} is not among build.secrets: add it there, so that one place shows what a build is given`,
        )
      if (Object.hasOwn(step.env ?? {}, name))
        fault(
          ['build', 'steps', at, 'env'],
          `${quote(name)} is a secret of this step too: remove one of the two`,
          name,
        )
    }
  }
  for (const [n, name] of secrets.entries())
    if (!used.has(name))
      warn(
        ['build', 'secrets', n],
        `no step names ${quote(name)} in its secrets, so none is given it`,
      )
}

function judgeTimes({ timeout, steps = [] }: Manifest['build'], fault: Note): void {
  if (timeout === undefined) return
  const most = secondsOf(timeout)
  for (const [at, step] of steps.entries())
    if (step.timeout !== undefined && secondsOf(step.timeout) > most)
      fault(
        ['build', 'steps', at, 'timeout'],
        `${quote(step.timeout)} is longer than the ${quote(timeout)} of the whole build (build.timeout): shorten it, or raise that`,
      )
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

/** Seconds of a duration of the schema, as `90s`. */
export const secondsOf = (duration: string): number =>
  Number.parseInt(duration, 10) * (unitSeconds[duration.slice(-1)] ?? 1)

function judgeStrategies({ strategy, strategies = {} }: Deploy, fault: Note): void {
  const path = ['deploy', 'strategies']
  const seen = new Map<string, string>()
  for (const [name, definition] of Object.entries(strategies)) {
    const key = strategyKey(name)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, name)
    else
      fault(
        path,
        `${quote(name)} and ${quote(first)} are one name, for case, spaces and "_" make no difference: rename one`,
        name,
      )
    if (definition.kind !== 'canary') continue
    for (const [at, step] of definition.steps.entries())
      if (at > 0 && step < (definition.steps[at - 1] ?? 0))
        fault(
          [...path, name, 'steps', at],
          `${step} is less than the step before: write the shares in rising order`,
        )
  }
  if (strategy === undefined || strategyNamed(strategy, strategies)) return
  const known = knownStrategies(strategies)
  const nearest = nearestWord(strategy, known)
  fault(
    ['deploy', 'strategy'],
    nearest === undefined
      ? `there is no strategy ${quote(strategy)}: name one of ${known.map(quote).join(', ')}, or define it under deploy.strategies`
      : `there is no strategy ${quote(strategy)}, did you mean ${quote(nearest)}?`,
  )
}

/** Hooks are given `lb-dns` and `lb_dns` under one name. */
function judgeOutputs({ outputs = [] }: Deploy, fault: Note): void {
  const seen = new Map<string, string>()
  for (const [at, output] of outputs.entries()) {
    const name = `CC_OUT_${output.replaceAll('-', '_').toUpperCase()}`
    const first = seen.get(name)
    if (first === undefined) seen.set(name, output)
    else
      fault(
        ['deploy', 'outputs', at],
        `${quote(output)} and ${quote(first)} would both be ${name}: remove one, or rename the output`,
      )
  }
}

const ofAgents = [
  'agents',
  'strategy',
  'strategies',
  'hooks',
  'hookTimeout',
  'health',
  'keep',
  'outputs',
] as const

function warnOfUnused(deploy: Deploy, warn: Note): void {
  for (const key of ofAgents)
    if (deploy[key] !== undefined)
      warn(
        ['deploy'],
        `${quote(key)} is not used, because a run of the workspace deploys (via: workspace)`,
        key,
      )
}
