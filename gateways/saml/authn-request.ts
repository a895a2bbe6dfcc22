import type { SpAddresses } from '../../domain/saml/sp-addresses.ts'
import { createLibrary } from './create-library.ts'

/** Asks the identity provider to sign somebody in (SAML core 3.4.1), under the id that was noted. Unsigned yet. */
export async function authnRequest(
  { entityId, acsUrl }: Pick<SpAddresses, 'entityId' | 'acsUrl'>,
  { id, destination }: { id: string; destination: string },
): Promise<string> {
  const library = createLibrary({
    audience: entityId,
    acsUrl,
    requestId: id,
    entryPoint: destination,
    generateUniqueId: () => id,
    idpCert: (done) => done(new Error('what asks verifies nothing')),
    skipRequestCompression: true,
  })
  const { SAMLRequest } = await library.getAuthorizeMessageAsync('')
  return Buffer.from(String(SAMLRequest), 'base64').toString()
}
