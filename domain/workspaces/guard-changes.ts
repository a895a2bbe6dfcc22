import { isWeakerConfirm, type ConfirmMode } from '../runs/confirmation.ts'

export type GuardedSettings = {
  name: string
  criticality: 'standard' | 'production'
  confirm: ConfirmMode
  autoApply: boolean
  /** Decimal text or a number, in the organization's currency. */
  costLimitMonthly: string | number | null
  unpriced: 'deny' | 'allow'
  cloudAccountId: number | null
  gitConnectionId: number | null
}

type Changes = { readonly [K in keyof GuardedSettings]?: GuardedSettings[K] | undefined }

/**
 * The settings of this change that guard a run (docs/runs.md, "What voids an approval"). Making a
 * workspace a production one, or one that confirms more, adds a guard, so it is not among them; the
 * way back is.
 */
export function guardChanges(now: GuardedSettings, change: Changes): Array<keyof GuardedSettings> {
  const changed: Array<keyof GuardedSettings> = []
  // The cloud trusts the runs of a workspace by its name (web-identity.ts). Else a person could give a workspace of theirs
  // the name of another one, and be lent its role.
  if (now.cloudAccountId !== null && change.name !== undefined && change.name !== now.name)
    changed.push('name')
  if (now.criticality === 'production' && change.criticality === 'standard')
    changed.push('criticality')
  if (change.confirm !== undefined && isWeakerConfirm(now.confirm, change.confirm))
    changed.push('confirm')
  for (const key of ['autoApply', 'unpriced', 'cloudAccountId', 'gitConnectionId'] as const)
    if (change[key] !== undefined && change[key] !== now[key]) changed.push(key)
  const limit = change.costLimitMonthly
  if (limit !== undefined && amount(limit) !== amount(now.costLimitMonthly))
    changed.push('costLimitMonthly')
  return changed
}

const amount = (limit: string | number | null) => (limit === null ? null : Number(limit))
