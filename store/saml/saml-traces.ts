import type { Db } from '../connect.ts'
import type { SamlRequestKind } from './saml-requests.ts'

export type NewSamlTrace = {
  kind: SamlRequestKind
  outcome: 'success' | 'failure'
  /** How far it came. */
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

export const keptTraces = 50

/** The newest attempts of an organization, for whoever has to find out why one failed. */
export function samlTraces(db: Db, organizationId: number) {
  return {
    async add(trace: NewSamlTrace): Promise<void> {
      await db('saml_traces').insert({
        organizationId,
        ...trace,
        detail: JSON.stringify(trace.detail),
      })
      await db('saml_traces')
        .where({ organizationId })
        .where(
          'id',
          '<=',
          db('saml_traces')
            .where({ organizationId })
            .orderBy('id', 'desc')
            .offset(keptTraces)
            .limit(1)
            .select('id'),
        )
        .delete()
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
