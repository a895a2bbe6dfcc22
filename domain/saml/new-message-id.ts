import { randomBytes } from 'node:crypto'

/** An xs:ID, which begins with no digit; 160 bits, where SAML core 1.3.4 asks for 128. */
export const newMessageId = (): string => `_${randomBytes(20).toString('hex')}`
