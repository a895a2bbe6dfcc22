import { Type, type Static } from 'typebox'
import type { ErrorDetail } from '../../domain/errors.ts'
import {
  costScopeKinds,
  type CostScope,
  type CostScopeKind,
} from '../../domain/finops/cost-scope.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { Id, OneOf, Text } from '../http/schemas.ts'

/** A scope in a body. */
export const scopeFields = {
  scopeKind: OneOf(costScopeKinds),
  scopeValue: Type.Union([Text(1_000, 1), Id, Type.Null()], {
    description:
      'None for all. The name of a provider or service as the bill has it, in any case; key=value of a tag, or untagged; the id of a cloud account or workspace; a sub-account as the bill names it.',
  }),
}

type SentScope = {
  scopeKind?: CostScopeKind
  scopeValue?: Static<typeof scopeFields.scopeValue>
}

/**
 * The scope of a body as it is stored; `now` is the one that it changes. Undefined if the body has none. What
 * the schema cannot express is added to `faults`.
 */
// oxlint-disable-next-line max-params -- the body, what it changes, and where faults go
export function scopeColumns(
  { scopeKind, scopeValue }: SentScope,
  now: CostScope | undefined,
  faults: ErrorDetail[],
): CostScope | undefined {
  if (scopeKind === undefined && scopeValue === undefined) return undefined
  const kind = scopeKind ?? now?.scopeKind ?? 'all'
  // A value of another kind means something else: it has to be sent with the new kind.
  const kept = scopeValue === undefined && kind === now?.scopeKind ? now.scopeValue : null
  const value = scopeValue === undefined || scopeValue === null ? kept : String(scopeValue)
  const message = faultOfScope(kind, value)
  if (message !== undefined) faults.push({ path: 'scopeValue', message })
  return { scopeKind: kind, scopeValue: value }
}

/** Of another organization, or gone: not found. A scope that stays may name what was deleted since. */
export async function assertOwnScope(
  tenant: Tenant,
  scope: Partial<CostScope>,
  before?: CostScope,
): Promise<void> {
  const { scopeKind, scopeValue } = scope
  if (scopeKind === before?.scopeKind && scopeValue === before?.scopeValue) return
  if (scopeKind === 'workspace') await workspaces(tenant).get(Number(scopeValue))
  if (scopeKind === 'account') await cloudAccounts(tenant).get(Number(scopeValue))
}

function faultOfScope(kind: CostScopeKind, value: string | null): string | undefined {
  if (kind === 'all') return value === null ? undefined : 'is not for a scope of all cost'
  if (value === null || value.trim() === '') return `is required for a scope of ${inWords[kind]}`
  if (kind === 'tag' && value !== 'untagged' && !/^[^=]+=/.test(value))
    return 'is key=value, or untagged'
  if ((kind === 'account' || kind === 'workspace') && !isId(value))
    return `is the id of ${inWords[kind]}`
  return undefined
}

const isId = (value: string) => /^[1-9][0-9]{0,9}$/.test(value) && Number(value) <= 2_147_483_647

const inWords: Record<Exclude<CostScopeKind, 'all'>, string> = {
  provider: 'a provider',
  service: 'a service',
  tag: 'a tag',
  account: 'a cloud account',
  workspace: 'a workspace',
  subAccount: 'a sub-account',
}
