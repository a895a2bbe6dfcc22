import { unavailable } from '../../domain/errors.ts'
import { CloudFault } from './cloud-fault.ts'
import { tooLarge } from './outbound-fault.ts'

/** Of 12,500 tags, written as lists of `{ "Key": …, "Value": … }`. */
const maxQuotes = 100_000
const quote = '"'.charCodeAt(0)

/**
 * Refuses an answer before it is parsed, as one that is too large, where it has many texts in it: a client
 * library takes as long for a short text as for a long one, and the process does nothing else meanwhile.
 */
export function assertParsable(body: Buffer): void {
  if (body.length <= maxQuotes) return
  let quotes = 0
  // By index: an iterator over 1 MiB takes 25 ms, which is half of what one tenant may hold the worker for.
  for (let at = 0; at < body.length; at += 1) if (body[at] === quote) quotes += 1
  if (quotes > maxQuotes)
    throw unavailable(tooLarge, 'The host sent more texts than are read at once')
}

/** Refuses a page with more resources than were asked for, which only an endpoint of somebody's own sends. */
export function assertPageSize(found: readonly unknown[], asked: number): void {
  if (found.length > asked) throw tooFull()
}

const tooFull = () =>
  new CloudFault(
    'unreachable',
    'The cloud sent more in a page than was asked for. Check the endpoint.',
  )
