import { ApiError, pathOf, queryText, Unreachable, type Answer } from '../../api/call.ts'
import { routes } from '../../api/operations.ts'

export type StateVersion = Answer<'listStateVersions'>['versions'][number]

/** A larger one would hold up the page for seconds. It can be downloaded. */
const maxShownBytes = 16 * 1024 * 1024

/** The address of the state itself, also for a download. */
export function stateAddress(id: number, version: StateVersion): string {
  const { id: versionId, serial, lineage, status } = version
  return status === 'quarantined'
    ? pathOf(routes.readQuarantinedState[1], { id, versionId })
    : `${pathOf(routes.readStateVersion[1], { id, serial })}?${queryText({ lineage })}`
}

/** Reads a state up to the size that a page can show. */
export async function readState(
  id: number,
  version: StateVersion,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await answerOf(stateAddress(id, version), signal)
  const pieces: string[] = []
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  for (let bytes = 0; reader;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > maxShownBytes) {
      await reader.cancel()
      throw new Error('This state is too large to be shown here. Download it.')
    }
    pieces.push(decoder.decode(value, { stream: true }))
  }
  return JSON.parse(pieces.join('') + decoder.decode(), exactNumber)
}

async function answerOf(address: string, signal: AbortSignal): Promise<Response> {
  let response: Response
  try {
    response = await fetch(address, { credentials: 'same-origin', signal })
  } catch (error) {
    if (signal.aborted) throw error
    throw new Unreachable()
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => undefined)
  const fields = typeof body === 'object' && body !== null ? body : {}
  throw new ApiError(response.status, { ...fields })
}

/** A number whose digits JavaScript would lose stays text: otherwise a difference could vanish. */
function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return String(value) === context.source ? value : context.source
}
