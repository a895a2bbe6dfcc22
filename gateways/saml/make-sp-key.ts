import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { makeCertificate } from './make-certificate.ts'

const bits = 3_072
/** The key is never rotated, and a provider that checks the dates must not lock everybody out. */
const years = 20

/** Generates an organization's signing key, off the event loop: it takes seconds of CPU. */
export async function makeSpKey(
  commonName: string,
): Promise<{ privateKey: string; certificate: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  // Clocks of identity providers may be behind.
  const notBefore = new Date(Date.now() - 24 * 3_600_000)
  const notAfter = new Date(notBefore)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years)
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: makeCertificate({ commonName, privateKey, notBefore, notAfter }),
  }
}
