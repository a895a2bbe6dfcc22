/** One workflow's history as it lies in this folder. Its id is part of what its payloads' marks are made over. */
export type RecordedHistory = { workflowId: string; history: object }

/** The keyring of the recorded histories alone: 32 zero bytes, which protect nothing. */
export const historyKeyring = `history=${Buffer.alloc(32).toString('base64')}`
