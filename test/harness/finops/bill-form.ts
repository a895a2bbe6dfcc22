import { randomBytes } from 'node:crypto'
import { eventually } from '../eventually.ts'
import type { TestUser } from '../test-user.ts'

export type BillFile = { name: string; content: string | Buffer; field?: string }

/** A body of multipart/form-data: the source, if there is one, and then the files. */
function billForm(source: string | undefined, files: readonly BillFile[]) {
  const boundary = `cut-${randomBytes(8).toString('hex')}`
  const part = (head: string, content: string | Buffer) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]
  const payload = Buffer.concat([
    ...(source === undefined ? [] : part('name="source"', source)),
    ...files.flatMap(({ name, content, field = 'file' }) =>
      part(`name="${field}"; filename="${name}"`, content),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** Uploads a bill and answers its ingest once it is over, which can be after the answer on a busy machine. */
export async function ingestedBill(user: TestUser, source: string, files: readonly BillFile[]) {
  const answer = await uploadBill(user, source, files)
  if (answer.statusCode !== 200 && answer.statusCode !== 202) throw new Error(answer.body)
  return endedIngest(user, answer.json().ingest.id)
}

export const endedIngest = async (user: TestUser, ingestId: number) =>
  eventually(async () => {
    const { ingest } = (await user.get(`/api/finops/ingests/${ingestId}`)).json()
    return ingest.state !== 'running' && ingest
  })

export async function uploadBill(
  user: TestUser,
  source: string | undefined,
  files: readonly BillFile[],
  headers: Record<string, string> = {},
) {
  const form = billForm(source, files)
  return user.post('/api/finops/uploads', form.payload, {
    headers: { ...form.headers, ...headers },
  })
}
