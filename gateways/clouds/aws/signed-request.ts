import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentialIdentityProvider, Checksum } from '@smithy/types'
import type { PrivateHostUse } from '../../../config/outbound.ts'
import { CloudFault } from '../cloud-fault.ts'
import { awsFault } from './aws-refusal.ts'
import type { AwsSettings } from './aws-settings.ts'

export type SignedRequest = {
  url: URL
  use: PrivateHostUse
  service: 'ec2' | 's3'
  region: string
  /** The right that the call needs, such as `s3:ListBucket`. */
  action: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

/**
 * One GET, signed by AWS's own signer. For the two services whose clients cost more than the one call of theirs
 * that is made: `@aws-sdk/client-ec2` takes 54 MB of memory (docs/decisions/0128-cloud-libraries.md).
 */
export async function signedRequest(
  { kept }: Pick<AwsSettings, 'kept'>,
  credentials: AwsCredentialIdentityProvider,
  asked: SignedRequest,
): Promise<string> {
  const { url, use, service, region, action, signal } = asked
  try {
    const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, ...s3(service) })
    const signed = await signer.sign({
      protocol: url.protocol,
      hostname: url.hostname,
      method: 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, 'x-amz-content-sha256': hashOfNothing, ...asked.headers },
    })
    const answer = await kept.request(url, {
      use,
      headers: signed.headers,
      timeoutMs: 30_000,
      ...(signal && { signal }),
    })
    const text = answer.body.toString()
    if (answer.status < 300) return text
    throw refusalOf(answer.status, text)
  } catch (error) {
    throw awsFault(error, action)
  }
}

/** S3 signs the path as it is sent; all others escape it once more. */
const s3 = (service: string) => (service === 's3' ? { uriEscapePath: false } : {})

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

export function allOf(xml: string, element: string): string[] {
  const pattern = new RegExp(`<${element}>([\\s\\S]{0,4000}?)</${element}>`, 'g')
  const found = [...xml.matchAll(pattern)].map(([, inner = '']) => inner)
  if (found.length > 10_000) throw new CloudFault('unreachable', 'AWS sent an endless list.')
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
