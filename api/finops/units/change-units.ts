import type { Caller } from '../../../domain/access/caller.ts'
import { invalid, type ErrorDetail } from '../../../domain/errors.ts'
import type { CostScope } from '../../../domain/finops/cost-scope.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { costUnits, type NewUnit, type StoredUnit } from '../../../store/finops/units/cost-units.ts'
import type { Deps } from '../../deps.ts'
import { assertOwnScope, scopeColumns } from '../scope-columns.ts'
import { assertTagKey } from './assert-tag-key.ts'
import type { NewUnitBody, UnitChangeBody } from './schemas.ts'

export async function createUnit(
  { store }: Deps,
  caller: Caller,
  { name, unit, ...scope }: NewUnitBody,
): Promise<StoredUnit> {
  const columns = { name, unit, ...ownColumns({ scopeValue: null, ...scope }) }
  const wanted: NewUnit = { scopeKind: scope.scopeKind, scopeValue: null, ...columns }
  return store.tenant(caller.organizationId, async (tenant) => {
    await assertOwnScope(tenant, wanted)
    await assertTagKey(tenant, wanted)
    const made = await costUnits(tenant).create(wanted)
    await auditLog(tenant, actorOf(caller)).record('finops.unit_created', {
      target: { kind: 'unit', id: made.id, label: made.name },
      detail: { ...wanted },
    })
    return made
  })
}

export async function updateUnit(
  { store }: Deps,
  caller: Caller,
  { id, change }: { id: number; change: UnitChangeBody },
): Promise<StoredUnit> {
  return store.tenant(caller.organizationId, async (tenant) => {
    const before = await costUnits(tenant).getForUpdate(id)
    const { name, unit, ...scope } = change
    const columns: Partial<NewUnit> = {
      ...(name !== undefined && { name }),
      ...(unit !== undefined && { unit }),
      ...ownColumns(scope, before),
    }
    // Sending a unit back unchanged is no change.
    const changed = Object.entries(columns).filter(
      ([field, value]) => before[field as keyof NewUnit] !== value,
    )
    if (changed.length === 0) return before
    await assertOwnScope(tenant, { ...before, ...columns }, before)
    if (columns.scopeKind !== undefined) await assertTagKey(tenant, { ...before, ...columns })
    const after = await costUnits(tenant).update(id, Object.fromEntries(changed))
    await auditLog(tenant, actorOf(caller)).record('finops.unit_updated', {
      target: { kind: 'unit', id, label: after.name },
      detail: Object.fromEntries(
        changed.map(([field, to]) => [field, { from: before[field as keyof NewUnit], to }]),
      ),
    })
    return after
  })
}

/** Its values go with it. */
export async function deleteUnit({ store }: Deps, caller: Caller, id: number): Promise<void> {
  await store.tenant(caller.organizationId, async (tenant) => {
    const { name, unit, scopeKind, scopeValue } = await costUnits(tenant).getForUpdate(id)
    await costUnits(tenant).delete(id)
    await auditLog(tenant, actorOf(caller)).record('finops.unit_deleted', {
      target: { kind: 'unit', id, label: name },
      detail: { unit, scopeKind, scopeValue },
    })
  })
}

function ownColumns(
  scope: Pick<UnitChangeBody, 'scopeKind' | 'scopeValue'>,
  now?: CostScope,
): CostScope | undefined {
  const faults: ErrorDetail[] = []
  const columns = scopeColumns(scope, now, faults)
  const [first] = faults
  if (first) throw invalid(`${first.path}: ${first.message}.`, faults, 'validation_failed')
  return columns
}
