import { expect } from 'vitest'
import { eventually } from '../eventually.ts'
import { scriptedAccount, startScriptedAws } from '../clouds/scripted-aws.ts'
import type { CloudRequest } from '../clouds/scripted-cloud.ts'
import { s3Refusal, scriptedBucket } from '../clouds/scripted-s3.ts'
import type { TestUser } from '../test-user.ts'

export type StorageGate = { reached: () => boolean; open(): void }
export type BilledStorage = Awaited<ReturnType<typeof billedStorage>>

/**
 * An AWS account on a port, with one bucket in which each organization has a folder with an export of its own.
 * A test can hold requests, so that an ingest stands where it wants it.
 */
export async function billedStorage() {
  const aws = await startScriptedAws()
  const bucket = scriptedBucket('bills')
  const account = aws.cloud.answer
  const held = new Set<(request: CloudRequest) => Promise<void> | undefined>()
  aws.cloud.answer = async (request) => {
    if (request.method !== 'GET' || request.path === '/') return account(request)
    if (storage.denies) return s3Refusal(403, 'AccessDenied')
    for (const hold of held) await hold(request)
    return bucket.answer(request)
  }
  const folderOf = (organizationId: number) => `org-${organizationId}`

  const storage = {
    /** Refuses all that is asked of the bucket. */
    denies: false,
    bucket,
    hosts: `cloud=127.0.0.1:${aws.cloud.port},billing=127.0.0.1:${aws.cloud.port}`,

    /** A month as Data Exports writes it: a file, and then its manifest. Answers the key of the file. */
    put(organizationId: number, period: string, content: string): string {
      const root = `${folderOf(organizationId)}/focus`
      const key = `${root}/data/BILLING_PERIOD=${period}/focus-00001.csv`
      bucket.put(key, content)
      const dataFiles = [`s3://bills/${key}`]
      const manifest = `${root}/metadata/BILLING_PERIOD=${period}/focus-Manifest.json`
      bucket.put(manifest, JSON.stringify({ dataFiles }))
      return key
    },

    /** Connects the account, and waits until its first ingest has ended. */
    async connect(user: TestUser): Promise<{ url: string; ingestId: number }> {
      const made = await user.post('/api/cloud/accounts', {
        provider: 'aws',
        name: 'billed',
        accountId: scriptedAccount,
        credentials: { accessKeyId: 'AKIAAAAAAAAAAAAAAAAA', secretAccessKey: 'a'.repeat(40) },
        endpoint: aws.cloud.url,
        regions: ['us-east-1'],
        billing: {
          bucket: 'bills',
          prefix: folderOf(user.organizationId),
          region: 'us-east-1',
          exportName: 'focus',
        },
      })
      expect(made.statusCode, made.body).toBe(201)
      const url = `/api/cloud/accounts/${made.json().account.id}`
      const ingest = await eventually(
        async () => {
          const { account: shown } = (await user.get(url)).json()
          return shown.ingest && shown.ingest.state !== 'running' && shown.ingest
        },
        { looks: 3_000 },
      )
      return { url, ingestId: ingest.id }
    },

    /** Holds the requests of an organization for its lists, or for a file of its bill, after the first `past`. */
    hold(organizationId: number, kind: 'list' | 'file', { past = 0 } = {}): StorageGate {
      const folder = folderOf(organizationId)
      let left = past
      let isReached = false
      let open = () => undefined as void
      const opened = new Promise<void>((resolve) => (open = resolve))
      const hold = ({ path, query }: CloudRequest) => {
        const isMine =
          kind === 'list'
            ? query.get('prefix')?.startsWith(`${folder}/`)
            : decodeURIComponent(path).startsWith(`/bills/${folder}/focus/data/`)
        if (!isMine) return undefined
        if (left > 0) {
          left -= 1
          return undefined
        }
        isReached = true
        return opened
      }
      held.add(hold)
      return {
        reached: () => isReached,
        open() {
          held.delete(hold)
          open()
        },
      }
    },

    /** How often the months of an organization were looked at. */
    looksAt: (organizationId: number): number =>
      aws.cloud.asked.filter(
        ({ query }) => query.get('prefix') === `${folderOf(organizationId)}/focus/metadata/`,
      ).length,

    /** The beginnings of the ranges that were asked for of a file. */
    rangesOf: (key: string): number[] =>
      aws.cloud.asked
        .filter(({ path }) => decodeURIComponent(path) === `/bills/${key}`)
        .map(({ headers }) => Number(/=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)),

    close: async () => aws.cloud.stop(),
  }
  return storage
}
