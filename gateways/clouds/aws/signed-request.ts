import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentialIdentityProvider, Checksum } from '@smithy/types'
import { CloudFault } from '../cloud-fault.ts'
import { assertParsable } from '../full-page.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import { awsFault } from './aws-refusal.ts'
import type { AwsSettings } from './aws-settings.ts'

export type SignedRequest = {
  url: URL
  service: 'ec2'
  region: string
  /** The right that the call needs, such as `ec2:DescribeRegions`. */
  action: string
  signal?: AbortSignal | undefined
}

/**
 * One GET, signed by AWS's own signer. For the service whose client costs more than the one call of its that is
 * made: `@aws-sdk/client-ec2` takes 54 MB of memory (docs/decisions/0128-cloud-libraries.md).
 */
export async function signedRequest(
  { kept }: Pick<AwsSettings, 'kept'>,
  credentials: AwsCredentialIdentityProvider,
  asked: SignedRequest,
): Promise<string> {
  const { url, service, region, action, signal } = asked
  try {
    const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 })
    const signed = await signer.sign({
      protocol: url.protocol,
      hostname: url.hostname,
      method: 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, 'x-amz-content-sha256': hashOfNothing },
    })
    const answer = await kept.request(url, {
      use: 'cloud',
      headers: signed.headers,
      timeoutMs: 30_000,
      maxBytes: maxAnswerBytes,
      ...(signal && { signal }),
    })
    assertParsable(answer.body)
    const text = answer.body.toString()
    if (answer.status < 300) return text
    throw refusalOf(answer.status, text)
  } catch (error) {
    throw awsFault(error, action)
  }
}

/** In the form of the SDK's errors, for `awsFault`. */
function refusalOf(status: number, text: string): Error {
  const code = textOf(text, 'Code') ?? ''
  const error = new Error(textOf(text, 'Message') ?? '')
  return Object.assign(error, { name: code, $metadata: { httpStatusCode: status } })
}

/** The text of the first element of this name; these answers hold no markup inside it. */
export function textOf(xml: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]{0,4000})</${element}>`).exec(xml)?.[1]
}

const maxItems = 10_000
const maxItemLength = 4_000

/** What is in each element of this name, in one pass over the text. A longer one than any of AWS is left out. */
export function allOf(xml: string, element: string): string[] {
  const [open, close] = [`<${element}>`, `</${element}>`]
  const found: string[] = []
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at)
    if (end < 0) break
    const start = at + open.length
    if (end - start <= maxItemLength) found.push(xml.slice(start, end))
    if (found.length > maxItems) throw new CloudFault('unreachable', 'AWS sent an endless list.')
    at = end + close.length
  }
  return found
}

const hashOfNothing = createHash('sha256').digest('hex')

/** The signer's interface over Node's own hash. */
class Sha256 implements Checksum {
  #hash: Hash | Hmac
  constructor(secret?: unknown) {
    // The signer passes a key as text or bytes, and nothing for a plain hash.
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string | Buffer)
  }
  update(chunk: Uint8Array): void {
    this.#hash.update(chunk)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
  reset(): void {}
}
