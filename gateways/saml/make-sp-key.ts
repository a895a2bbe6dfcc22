import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { makeCertificate } from './make-certificate.ts'

const bits = 3_072
/** Nothing rotates the key, and an identity provider that checks the dates must not lock everybody out. */
const years = 20

/** An organization's own signing key. It takes seconds of a core, off the event loop. */
export async function makeSpKey(
  commonName: string,
): Promise<{ privateKey: string; certificate: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  // Clocks of identity providers are behind ours now and then.
  const notBefore = new Date(Date.now() - 24 * 3_600_000)
  const notAfter = new Date(notBefore)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years)
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: makeCertificate({ commonName, privateKey, notBefore, notAfter }),
  }
}
