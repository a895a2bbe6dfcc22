import { X509Certificate } from 'node:crypto'

export type CheckedCertificate = {
  /** SHA-256 of the whole, hexadecimal. */
  fingerprint: string
  pem: string
  notBefore: Date
  notAfter: Date
}

/** Why a certificate cannot be used, for the person who pasted it. */
export class CertificateFault extends Error {}

const minBits = 2_048
const maxCertificates = 10
const maxLength = 100_000

/** One or several certificates, PEM or bare base64, as administrators and metadata have them. */
export function checkCertificates(text: string): CheckedCertificate[] {
  if (text.length > maxLength) throw new CertificateFault('is far larger than a certificate')
  if (text.includes('PRIVATE KEY'))
    throw new CertificateFault(
      'holds a private key: paste the certificate alone, and replace that key, for it has been sent',
    )
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)]
  const bodies = text.includes('-----')
    ? blocks.map(([, label, body]) => ofCertificate(label, body))
    : [text]
  if (bodies.length === 0) throw new CertificateFault('is not a complete PEM block')
  if (bodies.length > maxCertificates)
    throw new CertificateFault(`names more than ${maxCertificates} certificates`)
  const checked = new Map<string, CheckedCertificate>()
  for (const body of bodies) {
    const certificate = checkOne(body)
    checked.set(certificate.fingerprint, certificate)
  }
  return [...checked.values()]
}

/** The public key of a certificate, base64 (RFC 5280 4.1.2.7). Certificates that are renewed over one key have the same. */
export const publicKeyOf = (pem: string): string =>
  new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

function ofCertificate(label = '', body = ''): string {
  if (label !== 'CERTIFICATE')
    throw new CertificateFault(`holds a ${label.toLowerCase()} where a certificate belongs`)
  return body
}

function checkOne(base64: string): CheckedCertificate {
  const bare = base64.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(bare) || bare.length % 4 === 1)
    throw new CertificateFault('is neither PEM nor base64')
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(Buffer.from(bare, 'base64'))
  } catch {
    throw new CertificateFault('is no X.509 certificate')
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  if (asymmetricKeyType !== 'rsa')
    throw new CertificateFault(
      `has a key of the kind ${asymmetricKeyType ?? 'unknown'}: only RSA-SHA256 signatures are taken`,
    )
  const bits = asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < minBits)
    throw new CertificateFault(`has an RSA key of ${bits} bits: at least ${minBits} are needed`)
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    pem: certificate.toString(),
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
  }
}
