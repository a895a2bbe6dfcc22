import type { Tenant } from '../../store/driver/tenant.ts'
import { runPlaces } from '../../store/runs/run-labels.ts'
import { namesOfWorkspaces } from '../../store/workspaces/names-of-workspaces.ts'
import type { ListedEntry } from '../../store/audit/audit-entries.ts'
import type { EntryBody } from './schemas.ts'

const runAsActor = /^run (\d{1,9})$/
const idText = /^\d{1,9}$/

/**
 * Entries as `GET /api/audit` shows them: a run that acted, or was the target, by its number, and a workspace
 * that was recorded by its id alone by the name that it has now.
 */
export async function presentEntries(
  tenant: Tenant,
  entries: readonly ListedEntry[],
): Promise<EntryBody[]> {
  const runOf = ({ actorKind, actorLabel }: ListedEntry) =>
    actorKind === 'system' ? Number(runAsActor.exec(actorLabel)?.[1] ?? 0) : 0
  const targetOf = ({ targetKind, targetId }: ListedEntry) =>
    targetKind === 'run' && idText.test(targetId ?? '') ? Number(targetId) : 0
  const workspaceOf = ({ targetKind, targetId, targetLabel }: ListedEntry) =>
    targetKind === 'workspace' && targetLabel === null && idText.test(targetId ?? '')
      ? Number(targetId)
      : 0
  const unnamed = new Set(entries.map(workspaceOf))
  const names = await namesOfWorkspaces(
    tenant,
    [...unnamed].filter((id) => id > 0),
  )
  const ids = new Set(entries.flatMap((entry) => [runOf(entry), targetOf(entry)]))
  const places = await runPlaces(
    tenant,
    [...ids].filter((id) => id > 0),
  )
  return entries.map((entry) => {
    const { actor, target, ...shown } = presentEntry(entry)
    const acting = places.get(runOf(entry))
    const run = places.get(targetOf(entry))
    return {
      ...shown,
      actor: acting ? { ...actor, label: `run #${acting.number}` } : actor,
      target: target && {
        ...target,
        label: target.label ?? names.get(workspaceOf(entry))?.name ?? null,
        ...(run && { run }),
      },
    }
  })
}

/** An audit entry as it was written. */
export function presentEntry(entry: ListedEntry): EntryBody {
  const { id, event, outcome, detail, ip, requestId, targetKind, targetId } = entry
  return {
    id,
    at: entry.at.toISOString(),
    event,
    outcome,
    actor: { kind: entry.actorKind, id: entry.actorId, label: entry.actorLabel },
    target:
      targetKind === null || targetId === null
        ? null
        : { kind: targetKind, id: idOf(targetId), label: entry.targetLabel },
    detail,
    ip,
    requestId,
    hash: entry.hash?.toString('hex') ?? null,
    ...(entry.count !== null && { count: entry.count }),
  }
}

/** Ids are stored as text, because some are UUIDs. Numeric ones become numbers again. */
const idOf = (text: string) => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text)
