import { CloudFault } from './cloud-fault.ts'

/** 1,000 resources with 50 tags each, written as lists of `{ "Key": …, "Value": … }`, have fewer. */
const maxQuotes = 450_000
const quote = '"'.charCodeAt(0)

/**
 * Refuses an answer before it is parsed, where it has more texts in it than a page can have: 8 MiB of small
 * ones keep a worker busy for seconds, in which it does nothing for anybody else.
 */
export function assertParsable(body: Buffer): void {
  if (body.length <= maxQuotes) return
  let quotes = 0
  for (const byte of body) if (byte === quote) quotes += 1
  if (quotes > maxQuotes) throw tooFull()
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
