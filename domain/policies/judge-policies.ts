/**
 * The policy gate. `fail` and `error` end the run: a mandatory policy denies, or could not be
 * evaluated. An advisory one never ends it: what it says, and that it broke, is a warning.
 */
export function judgePolicies(results: readonly PolicyResult[]): PolicyVerdict {
  const findings = results.flatMap((result) => {
    const { policyId, name: policy, enforcement } = result
    const finding = (level: PolicyFinding['level']) => (message: string) => ({
      policyId,
      policy,
      enforcement,
      level,
      message,
    })
    return [
      ...(result.error === undefined ? [] : [finding('error')(result.error)]),
      ...result.deny.map(finding('deny')),
      ...result.warn.map(finding('warn')),
    ]
  })
  const ends = (level: PolicyFinding['level']) =>
    findings.some((finding) => finding.enforcement === 'mandatory' && finding.level === level)
  if (ends('deny')) return { result: 'fail', findings }
  if (ends('error')) return { result: 'error', findings }
  return { result: findings.length > 0 ? 'warn' : 'pass', findings }
}

export type Enforcement = 'mandatory' | 'advisory'

/** What one policy said of one plan. */
export type PolicyResult = {
  policyId: number
  name: string
  enforcement: Enforcement
  deny: string[]
  warn: string[]
  /** Why it could not be evaluated; it then denied and warned nothing. */
  error?: string
}

export type PolicyFinding = {
  policyId: number
  policy: string
  enforcement: Enforcement
  level: 'deny' | 'warn' | 'error'
  message: string
}

export type PolicyVerdict = {
  result: 'pass' | 'warn' | 'fail' | 'error'
  findings: PolicyFinding[]
}
