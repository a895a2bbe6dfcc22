import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { bitString, certificatePem, der, nameOf, sequence, serialNumber, time } from './der.ts'

export type Authority = {
  certificate: string
  /** A new key and a certificate for it, both PEM. */
  issue(subject: Subject): { key: string; certificate: string }
}

type Subject = {
  commonName: string
  /** DNS names that a client may expect of it. */
  dnsNames: readonly string[]
  usages: ReadonlyArray<'server' | 'client'>
}

type Validity = { notBefore: Date; notAfter: Date }

/**
 * A certificate authority for the parts of one installation (RFC 5280). Its key stays in this object and is
 * never written, so no further certificate can be issued later.
 */
export function makeAuthority(commonName: string, validity: Validity): Authority {
  const own = newKey()
  const ownId = idOf(publicPart(own))
  const build = (name: string, key: KeyObject, extensions: Buffer[]) => {
    const publicKey = publicPart(key)
    const toBeSigned = sequence(
      version3,
      serialNumber(),
      ecdsaWithSha256,
      nameOf(commonName),
      sequence(time(validity.notBefore), time(validity.notAfter)),
      nameOf(name),
      publicKey,
      der(
        0xa3,
        sequence(
          extension('0603551d0e', { value: der(0x04, idOf(publicKey)) }),
          extension('0603551d23', { value: sequence(der(0x80, ownId)) }),
          ...extensions,
        ),
      ),
    )
    const signature = sign('sha256', toBeSigned, own)
    return certificatePem(sequence(toBeSigned, ecdsaWithSha256, bitString(signature)))
  }
  return {
    certificate: build(commonName, own, [
      extension('0603551d13', { critical: true, value: sequence(yes) }),
      // keyCertSign
      extension('0603551d0f', { critical: true, value: Buffer.from('03020204', 'hex') }),
    ]),
    issue({ commonName, dnsNames, usages }) {
      const key = newKey()
      const extensions = [
        extension('0603551d13', { critical: true, value: sequence() }),
        // digitalSignature
        extension('0603551d0f', { critical: true, value: Buffer.from('03020780', 'hex') }),
        extension('0603551d25', { value: sequence(...usages.map((usage) => purposes[usage])) }),
      ]
      if (dnsNames.length > 0) {
        const names = dnsNames.map((name) => der(0x82, Buffer.from(name, 'ascii')))
        extensions.push(extension('0603551d11', { value: sequence(...names) }))
      }
      return {
        key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
        certificate: build(commonName, key, extensions),
      }
    },
  }
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const publicPart = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ type: 'spki', format: 'der' })
/** Any value that is the key's alone (RFC 5280 4.2.1.2). */
const idOf = (publicKey: Buffer): Buffer =>
  createHash('sha256').update(publicKey).digest().subarray(0, 20)

const version3 = Buffer.from('a003020102', 'hex')
/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'))
const yes = Buffer.from('0101ff', 'hex')
/** 1.3.6.1.5.5.7.3.1 and .2 */
const purposes = {
  server: Buffer.from('06082b06010505070301', 'hex'),
  client: Buffer.from('06082b06010505070302', 'hex'),
}

function extension(
  oid: string,
  { critical = false, value }: { critical?: boolean; value: Buffer },
): Buffer {
  return sequence(Buffer.from(oid, 'hex'), ...(critical ? [yes] : []), der(0x04, value))
}
