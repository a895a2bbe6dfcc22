/** Where a deployment is after it was taken as far as it can be. */
export type Advanced = { next: 'end' } | { next: 'wait'; timeoutMs: number } | { next: 'over' }
