import type { SpAddresses } from '../../domain/saml/sp-addresses.ts'
import { createLibrary } from './create-library.ts'

/** Builds the AuthnRequest (SAML core 3.4.1) with the stored id. Not signed yet. */
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
