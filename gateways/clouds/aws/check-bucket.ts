import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import type { AwsSettings } from './aws-settings.ts'
import { signedRequest, textOf } from './signed-request.ts'

/** Lists one object of the bill's folder, and reads one byte of it where there is one. */
export async function checkBucket(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const { billing, endpoints } = settings.target
  if (!billing) return offCheck('billing', 'No bill is set up for this account.')
  const text = (name: string) => (typeof billing[name] === 'string' ? billing[name] : '')
  const region = text('region') || settings.home
  const origin =
    text('endpoint') || (endpoints.storage ?? `https://s3.${region}.${suffixOf(settings)}`)
  const bucket = new URL(`/${encodeURIComponent(text('bucket'))}`, origin)
  const request = { use: 'billing' as const, service: 's3' as const, region, signal }

  const list = async () => {
    const url = new URL(bucket)
    url.searchParams.set('list-type', '2')
    url.searchParams.set('max-keys', '1')
    url.searchParams.set('prefix', text('prefix'))
    const action = 's3:ListBucket'
    const listed = await signedRequest(settings, credentials, { ...request, url, action })
    return textOf(listed, 'Key')
  }
  const read = async () => {
    const key = await list()
    if (key === undefined) return
    const path = key.split('/').map(escaped).join('/')
    const url = new URL(`${bucket.href}/${path}`)
    const headers = { range: 'bytes=0-0' }
    const action = 's3:GetObject'
    await signedRequest(settings, credentials, { ...request, url, action, headers })
  }
  return checkCalls('billing', [read()])
}

const suffixOf = ({ partition }: AwsSettings): string =>
  partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'

/** RFC 3986's unreserved characters stay, as S3's signature wants it. */
const escaped = (segment: string): string =>
  encodeURIComponent(decoded(segment)).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** An XML text's five entities. */
const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
