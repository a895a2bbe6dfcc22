import type { Tenant } from '../../store/driver/tenant.ts'
import { signEnveloped } from '../../domain/saml/enveloped-signature.ts'
import { redirectUrl, type OutgoingMessage } from '../../domain/saml/redirect-binding.ts'
import type { SamlBinding } from '../../store/saml/saml-configurations.ts'
import { placeOfSpKey, samlSpKeys } from '../../store/saml/saml-sp-keys.ts'
import type { Deps } from '../deps.ts'
import type { PostForm } from './pages.ts'

export type SpKey = { sealed: Buffer; certificate: string; organizationId: number }

/** Where a browser is sent next: an address, or a form that submits itself. */
export type Onward = { location: string } | { form: PostForm }

export async function findSpKey(tenant: Tenant): Promise<SpKey | undefined> {
  const { organizationId } = tenant

  const row = await samlSpKeys(tenant).find()
  return row && { sealed: row.privateKey, certificate: row.certificate, organizationId }
}

/** Signs a message as the organization's service provider, in the binding's envelope. */
export function signedMessage(
  { keyring }: Deps,
  key: SpKey,
  { binding, ...message }: OutgoingMessage & { binding: SamlBinding | null },
): Onward {
  const privateKey = keyring.open(placeOfSpKey(key.organizationId), key.sealed).toString()
  if (binding !== 'post') return { location: redirectUrl(message, privateKey) }
  const { kind, xml, destination, relayState } = message
  const signed = signEnveloped(xml, { privateKey, certificate: key.certificate })
  const fields = { [kind]: Buffer.from(signed).toString('base64') }
  return {
    form: {
      action: destination,
      fields: relayState === undefined ? fields : { ...fields, RelayState: relayState },
    },
  }
}
