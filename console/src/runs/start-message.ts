type Started = {
  message?: string | null | undefined
  commit?: { message: string | null } | null | undefined
}

/** What a run was started with. Null where that is the first line of its commit, which is shown with the commit. */
export const startMessageOf = ({ message, commit }: Started): string | null =>
  message == null || commit?.message?.trim().startsWith(message) ? null : message
