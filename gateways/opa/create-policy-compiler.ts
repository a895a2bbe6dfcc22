import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { unavailable } from '../../domain/errors.ts'
import { createTurns } from '../runner/turns.ts'
import { sandboxFor } from '../sandbox/sandbox-for.ts'
import type { OwnedSandbox } from '../sandbox/workbench.ts'
import { checkPolicy } from './check-policy.ts'

export type PolicyFault = { line: number; column: number; message: string }

/** Compiles a policy when it is saved, so that its author sees a mistake, and not the next run. */
export type PolicyCompiler = {
  /**
   * No faults: the policy may be stored. The policies of one organization are compiled one after another. Throws
   * 503 `policy_engine_unavailable` where OPA is not to be had, and 503 `busy` where too many wait.
   */
  check(organizationId: number, rego: string): Promise<PolicyFault[]>
  close(): Promise<void>
}

const slots = 2
const busy =
  'More than 20 policies of your organization wait to be compiled. Save fewer at once, and try again in a minute.'

/** OPA in a sandbox of the API's own, made when the first policy is saved. */
export function createPolicyCompiler(
  config: Config,
  log: Logger,
  makeSandbox = sandboxFor,
): PolicyCompiler {
  let made: Promise<OwnedSandbox> | undefined
  const turns = createTurns({ atOnce: slots, ofOrganization: 1, waiting: 20, busy })
  return {
    async check(organizationId, rego) {
      made ??= makeSandbox(config, log, { slots, programs: ['opa'] })
      let sandbox: OwnedSandbox
      try {
        sandbox = await made
      } catch (error) {
        made = undefined
        throw unavailable(
          'policy_engine_unavailable',
          'Policies cannot be compiled here: OPA or the sandbox is missing.',
          error,
        )
      }
      const leave = await turns.take(organizationId)
      try {
        const checked = await checkPolicy(sandbox, rego)
        return checked.ok ? [] : checked.errors
      } finally {
        leave()
      }
    },
    async close() {
      await made?.then(async (sandbox) => sandbox.close()).catch(() => undefined)
    },
  }
}
