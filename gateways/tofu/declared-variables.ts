import { AppError } from '../../domain/errors.ts'
import { howKilled } from '../../domain/infrastructure/how-killed.ts'
import { isRecord, own } from '../../domain/infrastructure/record.ts'
import type { Step, StepEnd } from '../sandbox/workbench.ts'
import { cutShort } from './cut-short.ts'

/** The variables of a root module by their names. */
export type DeclaredVariables = ReadonlyMap<string, { isEphemeral: boolean }>

const maxDeclarationsBytes = 32 * 1024 * 1024

/**
 * Runs `tofu show -json -module=.`, which reads the files of the step's folder, and evaluates of them what it needs
 * before anything else: sources of modules, and the `for_each` of providers. So it needs the values of variables and
 * the files that those name. Undefined for a configuration that OpenTofu cannot read. Throws where its program did not
 * end by itself: what the files declare is not known then.
 */
export async function readDeclaredVariables(
  run: (args: readonly string[], step: Partial<Step>) => Promise<StepEnd>,
  step: Partial<Step>,
): Promise<DeclaredVariables | undefined> {
  const end = await run(['show', '-json', '-no-color', '-module=.'], {
    network: 'none',
    captureBytes: maxDeclarationsBytes,
    onLine: () => undefined,
    ...step,
  })
  if (end.how !== 'exited') throw unread(end)
  if (end.exitCode !== 0) return undefined
  const variables: unknown = JSON.parse(end.stdout.toString()).root_module?.variables
  return new Map(
    Object.entries(isRecord(variables) ? variables : {}).map(([name, variable]) => [
      name,
      { isEphemeral: own(variable, 'ephemeral') === true },
    ]),
  )
}

function unread(end: StepEnd): Error {
  const ended = howKilled(end) ?? (end.how === 'too_much_output' ? 'wrote too much' : 'was stopped')
  return (
    cutShort(end, 'show') ??
    new AppError('too_large', `The declared variables could not be read: tofu show ${ended}.`)
  )
}
