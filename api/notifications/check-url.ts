import { AppError, invalid } from '../../domain/errors.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { targetOf } from '../../gateways/outbound/resolve-target.ts'

/**
 * Refuses an address that this service must not call: a private one, plain http, one with a password. Otherwise
 * whoever writes channels could reach what only this host can. Each delivery checks it again, because a name's
 * addresses can change.
 */
export async function checkUrl(
  { outbound, organizationId }: { outbound: Outbound; organizationId: number },
  text: string,
): Promise<URL> {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw refused('is not an https address', 'invalid')
  if (url.hash) throw refused('is an address without a fragment', 'invalid')
  try {
    await outbound.resolvePublic(targetOf(url, 'webhook', outbound.rules), { organizationId })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'address_not_allowed')
      throw refused(
        'is an https address without a user and a password, on a host that is neither private, local nor reserved or that CC_PRIVATE_HOSTS opens for webhook',
        'address_not_allowed',
      )
    // A name that has no address now may have one later: until then deliveries fail and are repeated.
  }
  return url
}

const refused = (message: string, code: string): AppError =>
  invalid(`url: ${message}.`, [{ path: 'url', message }], code)
