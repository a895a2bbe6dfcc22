import type { Client, Connection, Submittable } from 'pg'

/** PostgreSQL's COPY from STDIN of these texts, each as soon as it is there. */
export async function copyInto(
  client: Client,
  target: string,
  texts: () => AsyncIterable<string>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // The events of a query, as node-postgres delivers them to the one that it runs.
    const query: Submittable & Record<string, unknown> = {
      submit: (connection: Connection) => {
        connection.query(`copy ${target} from stdin`)
      },
      handleCopyInResponse: (connection: CopyConnection) => {
        send(connection, texts()).catch((error: unknown) => {
          connection.sendCopyFail(String(error))
        })
      },
      handleError: (error: Error) => reject(error),
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
    }
    client.query(query)
  })
}

type CopyConnection = {
  stream: NodeJS.WritableStream & { writableNeedDrain: boolean }
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

async function send(connection: CopyConnection, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    connection.sendCopyFromChunk(Buffer.from(text))
    if (connection.stream.writableNeedDrain)
      await new Promise((resolve) => connection.stream.once('drain', resolve))
  }
  connection.endCopyFrom()
}
