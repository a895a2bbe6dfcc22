import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { unavailable } from '../../domain/errors.ts'
import { sandboxFor } from '../sandbox/sandbox-for.ts'
import type { OwnedSandbox } from '../sandbox/workbench.ts'
import { checkPolicy } from './check-policy.ts'

export type PolicyFault = { line: number; column: number; message: string }

/** Compiles a policy when it is saved, so that its author sees a mistake, and not the next run. */
export type PolicyCompiler = {
  /** No faults: the policy may be stored. Throws 503 `policy_engine_unavailable` where OPA is not to be had. */
  check(rego: string): Promise<PolicyFault[]>
  close(): Promise<void>
}

/** OPA in a sandbox of the API's own, made when the first policy is saved. */
export function createPolicyCompiler(config: Config, log: Logger): PolicyCompiler {
  let made: Promise<OwnedSandbox> | undefined
  return {
    async check(rego) {
      made ??= sandboxFor(config, log, { slots: 2, programs: ['opa'] })
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
      const checked = await checkPolicy(sandbox, rego)
      return checked.ok ? [] : checked.errors
    },
    async close() {
      await made?.then(async (sandbox) => sandbox.close()).catch(() => undefined)
    },
  }
}
