import { randomUUID, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { publicJwk } from './issuer-key.ts'

export type TokenClaims = {
  issuer: string
  audience: string
  subject: string
  /** Beside the registered ones (RFC 7519). */
  more: Readonly<Record<string, string>>
}

/** A cloud exchanges it within seconds; the rest is for clocks that differ. */
const minutes = 10

export async function signToken(key: KeyObject, claims: TokenClaims): Promise<string> {
  const { kid } = await publicJwk(key)
  return new SignJWT({ ...claims.more })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setIssuer(claims.issuer)
    .setAudience(claims.audience)
    .setSubject(claims.subject)
    .setIssuedAt()
    .setExpirationTime(`${minutes} minutes`)
    .setJti(randomUUID())
    .sign(key)
}
