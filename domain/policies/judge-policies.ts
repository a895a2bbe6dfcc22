import { boundFindings } from './bound-findings.ts'

/**
 * The policy gate. `fail` and `error` end the run: a mandatory policy denies, or could not be
 * evaluated. An advisory policy never ends it: its messages and its errors are warnings.
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
  const shown = shownOf(findings)
  if (ends('deny')) return { result: 'fail', findings: shown }
  if (ends('error')) return { result: 'error', findings: shown }
  return { result: findings.length > 0 ? 'warn' : 'pass', findings: shown }
}

/** In order if they fit; otherwise those that end the run first, so that none of them is left out. */
function shownOf(findings: readonly PolicyFinding[]): PolicyFinding[] {
  const more = (message: string): PolicyFinding => ({
    policyId: 0,
    policy: '',
    enforcement: 'advisory',
    level: 'warn',
    message,
  })
  const shown = boundFindings(findings, more)
  if (shown.length === findings.length) return shown
  const rest = findings.filter((finding) => !isMandatory(finding))
  return boundFindings([...findings.filter(isMandatory), ...rest], more)
}

const isMandatory = ({ enforcement, level }: PolicyFinding) =>
  enforcement === 'mandatory' && level !== 'warn'

export type Enforcement = 'mandatory' | 'advisory'

/** What one policy said of one plan. */
export type PolicyResult = {
  policyId: number
  name: string
  enforcement: Enforcement
  deny: string[]
  warn: string[]
  /** Why it could not be evaluated; then it has no messages. */
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
