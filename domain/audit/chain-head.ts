/** Where a walk along the chain stands: the last seal that holds, and what the next one builds on. */
export type ChainHead = { position: number; hash: Buffer; entryId: number }

/** Closes the end of an organization's chain under a key that the database does not have. */
export type SealHead = (organizationId: number, head: ChainHead) => Buffer

/** Throws where it is not what was sealed, or is another organization's. */
export type OpenHead = (organizationId: number, sealed: Buffer) => ChainHead

export const chainStart: ChainHead = { position: 0, hash: Buffer.alloc(32), entryId: 0 }
