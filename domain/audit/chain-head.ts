/** A position in the chain: the last valid seal, and the hash that the next one continues from. */
export type ChainHead = { position: number; hash: Buffer; entryId: number }

/** Seals the head of an organization's chain under a key that the database does not have. */
export type SealHead = (organizationId: number, head: ChainHead) => Buffer

/** Throws if it is not what was sealed, or belongs to another organization. */
export type OpenHead = (organizationId: number, sealed: Buffer) => ChainHead

export const chainStart: ChainHead = { position: 0, hash: Buffer.alloc(32), entryId: 0 }
