import { Client } from 'pg'
import { vi } from 'vitest'

/** How many bytes PostgreSQL sends while `work` runs, to the connections that `work` asks. */
export async function bytesFromPostgres<T>(
  work: () => Promise<T>,
): Promise<{ answer: T; bytes: number }> {
  const before = new Map<{ bytesRead: number }, number>()
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection that it was called on
  const send: (...args: never[]) => unknown = Client.prototype.query
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    // A connection has its socket, which the driver's types do not name.
    const { stream } = (this as { connection: { stream: { bytesRead: number } } }).connection
    if (!before.has(stream)) before.set(stream, stream.bytesRead)
    return Reflect.apply(send, this, args)
  })
  try {
    const answer = await work()
    const bytes = [...before].reduce((sum, [{ bytesRead }, start]) => sum + bytesRead - start, 0)
    return { answer, bytes }
  } finally {
    spy.mockRestore()
  }
}
