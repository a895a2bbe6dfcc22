/** A query that runs or is over. */
export type QueryJob = { id: string; location: string | undefined }

/** A call of BigQuery's REST API, below the project's path. `action` is the right that it needs. */
export type Call = (
  asked: { path: string; body?: object; action: string },
  signal: AbortSignal,
) => Promise<Record<string, unknown>>
