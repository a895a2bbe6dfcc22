import { assignedVariables } from '../../../domain/workspaces/assigned-variables.ts'
import type { DeclaredVariables } from '../declared-variables.ts'
import { namesInEnv } from '../variable-arguments.ts'
import { PlanForged } from './plan-forged.ts'
import type { FilePlan } from './read-tfplan.ts'

/** What gives a run's variables their values: `env` is the workspace's and the run's environment. */
export type SetIn = {
  env: Readonly<Record<string, string>>
  files: Readonly<Record<string, string>>
  /** The folder of the files in which OpenTofu works. */
  folder: string
}

/**
 * Throws PlanForged unless each variable of the plan file is one that the run sets, since OpenTofu stores no others. An
 * apply would take the value of any other from the plan file: code of the author that replaced the file could otherwise
 * have an approved configuration applied with values in place of its defaults. Values are not compared here: an apply
 * refuses one that differs from the run's.
 *
 * Returns the variables that the run sets and the plan file lacks, for `assertNotLeftOut`.
 */
export function compareVariables({ variables }: FilePlan, { env, files, folder }: SetIn): string[] {
  const set = new Set([...namesInEnv(env), ...assignedVariables(files, folder)])
  if (!variables.every(({ name }) => set.has(name)))
    throw new PlanForged('it has a value for a variable that the run does not set')
  const stored = new Set(variables.map(({ name }) => name))
  return [...set].filter((name) => !stored.has(name))
}

/**
 * Throws PlanForged where the configuration declares one of the variables that a plan file lacks: OpenTofu stores each
 * that is set, but for ephemeral ones. Without it an apply would compute what it needs before anything else, such as the
 * `for_each` of a provider, from the variable's default, and so use another account than the one that was planned.
 */
export function assertNotLeftOut(lacking: readonly string[], declared: DeclaredVariables): void {
  if (lacking.some((name) => declared.get(name)?.isEphemeral === false))
    throw new PlanForged('it lacks the value of a variable that the run sets')
}
