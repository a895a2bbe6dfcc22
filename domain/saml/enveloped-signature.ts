import { SignedXml } from 'xml-crypto'
import { parseXml } from './parse-xml.ts'
import {
  envelopedSignature,
  exclusiveC14n,
  plainSignature,
  rsaSha256,
  sha256,
} from './plain-signature.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { bareCertificate } from './sp-metadata.ts'
import { verifySignature } from './verify-signature.ts'
import { namespaces } from './xml-elements.ts'

export type VerifiedXml = {
  /** Parsed from the octets that the signature covers, not from the message. */
  root: Element
  /** The certificate it was signed with. */
  certificate: string
}

export type SigningKey = { privateKey: string; certificate: string }

/** Verifies the one signature of a document, which must be the root's own and cover all of it. */
export function verifyEnveloped(xml: string, certificates: readonly string[]): VerifiedXml {
  const root = parseXml(xml)
  const signatures = root.getElementsByTagNameNS(namespaces.signature, 'Signature')
  if (signatures.length === 0) throw new SamlRefusal('signature_missing')
  const signature = plainSignature(root)
  if (!signature || signatures.length > 1) throw new SamlRefusal('signature_structure')
  const { covered, certificate } = verifySignature(signature, certificates)
  return { root: parseXml(covered), certificate }
}

/** Signs one of our messages, with the signature after the Issuer as the schema requires. */
export function signEnveloped(xml: string, { privateKey, certificate }: SigningKey): string {
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: rsaSha256,
    canonicalizationAlgorithm: exclusiveC14n,
    getKeyInfoContent: () =>
      `<ds:X509Data><ds:X509Certificate>${bareCertificate(certificate)}</ds:X509Certificate></ds:X509Data>`,
  })
  signer.addReference({
    xpath: '/*',
    transforms: [envelopedSignature, exclusiveC14n],
    digestAlgorithm: sha256,
  })
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: "/*/*[local-name(.)='Issuer']", action: 'after' },
  })
  return signer.getSignedXml()
}
