import { conflict } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { NewPrice } from './prices.ts'

/** The first key of the advisory lock, arbitrary; the second is the organization. */
const bookLock = 726_199_471

/** Of persons; what is learned from bills is not counted. */
const maxPrices = 10_000
/** Of the matches of all prices of persons, as JSON: a plan may have resources of each of their types. */
const maxMatchBytes = 4 * 1024 ** 2

const sizeOfBook = `
  select (select count(*)::int from prices where organization_id = :organizationId
      and id <> :except and learned is null) as count,
    (select coalesce(sum(octet_length(match::text)), 0) from prices where organization_id = :organizationId
      and id <> :except and learned is null) as bytes`

/** Whether a price book has room for another price of a person. */
export function roomInPriceBook(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** Locks other changes of the book by persons out until the transaction ends. */
    async hold(): Promise<void> {
      await db.raw('select pg_advisory_xact_lock(?, ?)', [bookLock, organizationId])
    },

    /**
     * Refuses prices above the limits of a book, which each plan that they judge reads. `except` is a price that is
     * replaced. The book must be held: of two requests at once the second one counts what the first one added.
     */
    async assert({ match }: Pick<NewPrice, 'match'>, except?: number): Promise<void> {
      const { rows: found } = await db.raw(sizeOfBook, {
        organizationId,
        except: except ?? 0,
      })
      const [{ count, bytes }] = found
      if (count >= maxPrices)
        throw conflict(
          'too_many_prices',
          `A price book has at most ${maxPrices} prices of its own. Delete one that is no longer needed.`,
        )
      if (Number(bytes) + Buffer.byteLength(JSON.stringify(match)) > maxMatchBytes)
        throw conflict(
          'too_many_prices',
          `The conditions of all prices may have ${maxMatchBytes / 1024 ** 2} MiB together. Shorten them, or delete a price that is no longer needed.`,
        )
    },
  }
}
