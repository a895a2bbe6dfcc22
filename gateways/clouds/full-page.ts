import { unavailable } from '../../domain/errors.ts'
import { CloudFault } from './cloud-fault.ts'
import { tooLarge } from './outbound-fault.ts'

/** Of 12,500 tags, written as lists of `{ "Key": …, "Value": … }`. */
const maxQuotes = 100_000
/** Elements, entities and line ends of XML. A list of 500 blobs with 30 elements each has 33,000. */
const maxMarks = 40_000
/** Of XML. A blob has one at most, and `=` at the end of a hash. */
const maxAttributes = 10_000
/** Fields and items of JSON. Where an answer has values of any form, the AWS SDK calls a function for each. */
const usualMembers = 50_000

/**
 * Refuses an answer before it is parsed, as one that is too large, where it has many parts in it: a client
 * library takes as long for a short part as for a long one, and the process does nothing else meanwhile.
 */
export function assertParsable(body: Buffer, maxMembers = usualMembers): void {
  const isJson = startsJson.has(body.find((byte) => byte > 0x20))
  const isTooMuch =
    hasMore(body, quotes, maxQuotes) ||
    (isJson
      ? hasMore(body, members, maxMembers)
      : hasMore(body, marks, maxMarks) || hasMore(body, equals, maxAttributes) || restarts(body))
  if (isTooMuch) throw unavailable(tooLarge, 'The host sent more parts than are read at once')
}

const startsJson = new Set<number | undefined>(Buffer.from('{['))
const [quotes, members] = [tableOf('"'), tableOf('{[,')]
const [marks, equals] = [tableOf('<&\r'), tableOf('=')]

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(characters)) table[byte] = 1
  return table
}

function hasMore(body: Buffer, counted: Uint8Array, most: number): boolean {
  if (body.length <= most) return false
  let found = 0
  // By index: an iterator over 1 MiB takes 25 ms, which is half of what one tenant may hold the worker for.
  for (let at = 0; at < body.length; at += 1) found += counted[body[at] ?? 0] ?? 0
  return found > most
}

/** XML has one DOCTYPE at most (XML 1.0, 2.8). At each, the AWS SDK copies the whole text. */
function restarts(body: Buffer): boolean {
  let found = 0
  for (let at = body.indexOf('<!'); at >= 0; at = body.indexOf('<!', at + 2))
    if (/^doctype/i.test(body.toString('latin1', at + 2, at + 9))) found += 1
  return found > 1
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
