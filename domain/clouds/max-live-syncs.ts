/** Syncs of one organization at a time. A further one waits until one of them ends. */
export const maxLiveSyncs = 4
