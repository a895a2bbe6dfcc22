import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { SamlRequestKind } from './saml-requests.ts'

export type NewSamlTrace = {
  kind: SamlRequestKind
  outcome: 'success' | 'failure'
  /** The last step that was reached. */
  step: string
  cause: string | null
  /** Names, times and mapped values; never a secret, an assertion or the value of an unmapped attribute. */
  detail: Record<string, unknown>
  requestId: string
}

export type SamlTrace = Omit<NewSamlTrace, 'requestId'> & {
  id: number
  requestId: string | null
  createdAt: Date
}

const keptTraces = 50

/** Used beside a statement that adds a trace: it does not see that row. */
export const dropOldTraces = (organizationId: string): string =>
  `delete from saml_traces where organization_id = ${organizationId} and id <= (
     select id from saml_traces where organization_id = ${organizationId}
     order by id desc offset ${keptTraces - 1} limit 1)`

/** The newest sign-in attempts of an organization, for administrators who look for a cause. */
export function samlTraces(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async add(trace: NewSamlTrace): Promise<void> {
      const { kind, outcome, step, cause, requestId } = trace
      await db.raw(
        `with added as (
           insert into saml_traces (organization_id, kind, outcome, step, cause, detail, request_id)
           values (:organizationId, :kind, :outcome, :step, :cause, :detail, :requestId))
         ${dropOldTraces(':organizationId')}`,
        {
          organizationId,
          kind,
          outcome,
          step,
          cause,
          requestId,
          detail: JSON.stringify(trace.detail),
        },
      )
    },

    async list(): Promise<SamlTrace[]> {
      return db('saml_traces')
        .where({ organizationId })
        .orderBy('id', 'desc')
        .limit(keptTraces)
        .select('id', 'kind', 'outcome', 'step', 'cause', 'detail', 'requestId', 'createdAt')
    },
  }
}
