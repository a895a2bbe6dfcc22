import { randomBytes } from 'node:crypto'

/** A key of a webhook's signatures. Standard Webhooks: 24 to 64 random bytes, in base64 behind a prefix. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
