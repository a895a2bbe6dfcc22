export const anomalyScopeKinds = ['total', 'tag'] as const

/** What an anomaly is of that is not of one service: `all`, or a tag as `key=value`. */
export type AnomalyScope = { kind: (typeof anomalyScopeKinds)[number]; value: string }

/** A series of one service has none. */
export type ScopeOfSeries = {
  scopeKind: AnomalyScope['kind'] | null
  scopeKey: string | null
  scopeValue: string | null
}

export function scopeOf({ scopeKind, scopeKey, scopeValue }: ScopeOfSeries): AnomalyScope | null {
  if (scopeKind === null) return null
  return { kind: scopeKind, value: scopeKind === 'total' ? 'all' : `${scopeKey}=${scopeValue}` }
}

/** As people know it: `aws AmazonEC2`, `All spend`, `Tag team=a`. */
export function nameOfAnomaly({
  provider,
  service,
  scope,
}: {
  provider: string | null
  service: string | null
  scope: AnomalyScope | null
}): string {
  if (scope === null) return [provider, service].filter((one) => one !== null).join(' ')
  return scope.kind === 'total' ? 'All spend' : `Tag ${scope.value}`
}
