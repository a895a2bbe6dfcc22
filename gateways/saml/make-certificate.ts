import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import {
  bitString,
  certificatePem,
  der,
  nameOf,
  sequence,
  serialNumber,
  time,
} from '../x509/der.ts'

export type CertificateOf = {
  commonName: string
  privateKey: KeyObject
  notBefore: Date
  notAfter: Date
}

/**
 * A self-signed certificate, PEM (RFC 5280 4.1). Node can read certificates but not make them, and identity
 * providers need a certificate as the name of a key.
 */
export function makeCertificate({
  commonName,
  privateKey,
  notBefore,
  notAfter,
}: CertificateOf): string {
  const algorithm = sequence(sha256WithRsa, der(0x05))
  const name = nameOf(commonName)
  const toBeSigned = sequence(
    version3,
    serialNumber(),
    algorithm,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    noAuthority,
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  return certificatePem(sequence(toBeSigned, algorithm, bitString(signature)))
}

/** 1.2.840.113549.1.1.11. */
const sha256WithRsa = Buffer.from('06092a864886f70d01010b', 'hex')

const version3 = Buffer.from('a003020102', 'hex')
/** Basic constraints (RFC 5280 4.2.1.9), empty: it vouches for no other certificate. */
const noAuthority = Buffer.from('a30d300b30090603551d1304023000', 'hex')
