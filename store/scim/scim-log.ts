import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { ScimCaller } from '../../domain/scim/scim-caller.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { insertAuditEntry } from '../insert-audit-entry.ts'

/** A request as it came, bounded. */
export type ScimRequest = { method: string; path: string }

export type Changes = Record<string, { from: unknown; to: unknown }>

export type ScimTarget = { kind: 'user' | 'group'; id: number; publicId: string; label: string }

export type ScimLogEntry = {
  id: number
  at: Date
  tokenId: number | null
  tokenName: string
  method: string
  path: string
  status: number
  scimType: string | null
  detail: string | null
  targetKind: string | null
  targetId: string | null
  targetLabel: string | null
  changes: Changes
  requestId: string
}

export const keptScimLogEntries = 10_000

/** By the parameters of `recordChange`. */
const entryOfChange = {
  organizationId: '$1',
  event: '$8',
  outcome: `'success'`,
  actorKind: `'scim'`,
  actorId: '$2',
  actorLabel: '$3',
  targetKind: '$5',
  targetId: '$9',
  targetLabel: '$6',
  detail: '$7',
  ip: '$10',
  requestId: '$4',
}

/** The SCIM requests of one organization and their outcomes. */
export function scimLog(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Records a change: audit entry and log entry in one statement, in the transaction of the change. */
    async recordChange(
      caller: ScimCaller & ScimRequest & { status: number },
      { event, target, changes }: { event: string; target: ScimTarget; changes: Changes },
    ): Promise<void> {
      await askPrepared(db, {
        name: 'scim-log-change',
        text: `with audited as (
           ${insertAuditEntry(entryOfChange)})
         insert into scim_log (organization_id, token_id, token_name, request_id, target_kind,
           target_label, changes, method, path, status, target_id)
         values ($1, $2, $3, $4, $5, $6, $7, $11, $12, $13, $14)`,
        values: [
          // Of both entries.
          organizationId,
          caller.tokenId,
          caller.tokenName,
          caller.requestId,
          target.kind,
          cut(target.label, 300),
          loggedChanges(changes),
          // Of the audit entry.
          event,
          String(target.id),
          caller.ip,
          // Of the log.
          caller.method,
          cut(caller.path, 500),
          caller.status,
          target.publicId,
        ],
      })
    },

    /** Records a request that was refused or failed; it changed nothing. */
    async recordRefusal(
      caller: ScimCaller & ScimRequest,
      refusal: { status: number; scimType: string | null; detail: string },
    ): Promise<void> {
      await db('scim_log').insert({
        organizationId,
        tokenId: caller.tokenId,
        tokenName: caller.tokenName,
        method: caller.method,
        path: cut(caller.path, 500),
        requestId: caller.requestId,
        status: refusal.status,
        scimType: refusal.scimType,
        detail: cut(refusal.detail, 500),
      })
    },

    /** Newest first. */
    async list(page: {
      limit: number
      before: number
      outcome?: 'success' | 'failure'
    }): Promise<ScimLogEntry[]> {
      const { limit, before, outcome } = page
      const found = db('scim_log')
        .where({ organizationId })
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit)
      if (outcome) void found.where('status', outcome === 'success' ? '<' : '>=', 400)
      return found.select('*')
    },
  }
}

/** As JSON, for the audit entry and the log. A name may have 1,700 bytes, and a page has 200 entries. */
export const loggedChanges = (changes: Changes): string =>
  JSON.stringify(changes, (_, value: unknown) =>
    typeof value === 'string' ? cut(value, 300) : value,
  )

export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text
