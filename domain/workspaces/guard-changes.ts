export type GuardedSettings = {
  criticality: 'standard' | 'production'
  autoApply: boolean
  /** Decimal text or a number, in the organization's currency. */
  costLimitMonthly: string | number | null
  unpriced: 'deny' | 'allow'
  cloudAccountId: number | null
  gitConnectionId: number | null
}

type Changes = { readonly [K in keyof GuardedSettings]?: GuardedSettings[K] | undefined }

/**
 * The settings that this change would alter and that guard a run (decisions §4). Making a
 * workspace a production one adds a guard and is anybody's to do; the way back is not.
 */
export function guardChanges(now: GuardedSettings, change: Changes): Array<keyof GuardedSettings> {
  const changed: Array<keyof GuardedSettings> = []
  if (now.criticality === 'production' && change.criticality === 'standard')
    changed.push('criticality')
  for (const key of ['autoApply', 'unpriced', 'cloudAccountId', 'gitConnectionId'] as const)
    if (change[key] !== undefined && change[key] !== now[key]) changed.push(key)
  const limit = change.costLimitMonthly
  if (limit !== undefined && amount(limit) !== amount(now.costLimitMonthly))
    changed.push('costLimitMonthly')
  return changed
}

const amount = (limit: string | number | null) => (limit === null ? null : Number(limit))
