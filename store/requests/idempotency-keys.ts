import { unwrap, type Tenant } from '../driver/tenant.ts'
import { conflict } from '../../domain/errors.ts'

export type StoredAnswer = { status: number; response: unknown }

/**
 * `Idempotency-Key`: within 24 h the same key and body gets the first answer. The row is written in
 * the transaction of the work itself, so a second request at the same moment waits for the first
 * and then reads its answer.
 */
export function idempotencyKeys(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const place = (caller: string, key: string) => ({ organizationId, caller, key })

  return {
    /** Returns the first answer if there is one; else this transaction now owns the key. */
    async take(
      caller: string,
      key: string,
      requestHash: Buffer,
    ): Promise<StoredAnswer | undefined> {
      await db('idempotency_keys')
        .where(place(caller, key))
        .where('createdAt', '<', db.raw(`now() - interval '24 hours'`))
        .delete()
      const taken = await db('idempotency_keys')
        .insert({ ...place(caller, key), requestHash })
        .onConflict(['organizationId', 'caller', 'key'])
        .ignore()
        .returning('key')
      if (taken.length === 1) return undefined
      const first = await db('idempotency_keys').where(place(caller, key)).first()
      return answerOf(first, requestHash)
    },

    /**
     * Keeps the answer of work that was begun under the key and is answered later, unless an earlier request did. Returns
     * the answer that is kept; undefined where the key is forgotten.
     */
    async settle(
      caller: string,
      key: string,
      { status, response }: StoredAnswer,
    ): Promise<StoredAnswer | undefined> {
      const answer = JSON.stringify(response)
      await db('idempotency_keys')
        .where(place(caller, key))
        .whereRaw(`response -> 'answer' is null`)
        .update({
          status,
          response: db.raw(`response || jsonb_build_object('answer', ?::jsonb)`, [answer]),
        })
      const row = await db('idempotency_keys').where(place(caller, key)).first()
      return row?.response?.answer && { status: row.status, response: row.response.answer }
    },

    async answer(caller: string, key: string, answer: StoredAnswer): Promise<void> {
      await db('idempotency_keys')
        .where(place(caller, key))
        .update({ status: answer.status, response: JSON.stringify(answer.response) })
    },
  }
}

/** The first answer, if there is one. Takes no key: for a request whose answer may depend on what is gone by now. */
export async function findFirstAnswer(
  tenant: Tenant,
  { caller, key, requestHash }: { caller: string; key: string; requestHash: Buffer },
): Promise<StoredAnswer | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const row = await db('idempotency_keys')
    .where({ organizationId, caller, key })
    .where('createdAt', '>=', db.raw(`now() - interval '24 hours'`))
    .first()
  return row && answerOf(row, requestHash)
}

/** The answer of the row, if it is of the same request. */
function answerOf(
  row: (StoredAnswer & { requestHash: Buffer }) | undefined,
  requestHash: Buffer,
): StoredAnswer {
  if (!row || !requestHash.equals(row.requestHash))
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was sent before with another request.',
    )
  return { status: row.status, response: row.response }
}
