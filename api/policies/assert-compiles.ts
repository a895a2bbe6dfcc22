import { invalid } from '../../domain/errors.ts'
import type { PolicyCompiler } from '../../gateways/opa/create-policy-compiler.ts'

/** Compiles a policy before it is stored, outside of any transaction, because the compiler is slow. */
export async function assertCompiles(
  compiler: PolicyCompiler,
  { organizationId, rego }: { organizationId: number; rego: string },
): Promise<void> {
  const faults = await compiler.check(organizationId, rego)
  const [first] = faults
  if (!first) return
  throw invalid(
    `The policy does not compile: line ${first.line}, column ${first.column}: ${first.message}`,
    faults.map(({ line, column, message }) => ({
      path: 'rego',
      message: `line ${line}, column ${column}: ${message}`,
      line,
      column,
    })),
    'policy_invalid',
  )
}
