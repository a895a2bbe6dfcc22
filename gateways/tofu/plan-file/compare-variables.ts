import { assignedVariables } from '../../../domain/workspaces/assigned-variables.ts'
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
 */
export function compareVariables({ variables }: FilePlan, { env, files, folder }: SetIn): void {
  const set = new Set([...namesInEnv(env), ...assignedVariables(files, folder)])
  if (!variables.every(({ name }) => set.has(name)))
    throw new PlanForged('it has a value for a variable that the run does not set')
}
