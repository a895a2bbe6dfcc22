export type PolicyFault = { line: number; column: number; message: string }

/** Compiles a policy as it is saved, so that a mistake is told to its author and not to the next run. */
export type PolicyCompiler = {
  /** No faults: the policy may be stored. Throws 503 `policy_engine_unavailable` where OPA is not to be had. */
  check(rego: string): Promise<PolicyFault[]>
  close(): Promise<void>
}
