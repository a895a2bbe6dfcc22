import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Bills, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from './opened-clouds.ts'
import { type ScriptedAws, scriptedAccount, startScriptedAws } from './scripted-aws.ts'
import { scriptedBucket } from './scripted-s3.ts'

const billing = { bucket: 'bills', prefix: 'costs', region: 'us-east-1', exportName: 'focus' }

/** An AWS account by keys, whose bill is in a scripted bucket that is empty before each test. */
export function billedAws() {
  const open = openedClouds({
    provider: 'aws',
    accountId: scriptedAccount,
    credentials: { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' },
  })
  const hooked = {
    folder: '',
    bucket: scriptedBucket('bills'),
    aws: undefined as unknown as ScriptedAws,
    cloud: async (more: Partial<CloudTarget> = {}) => open(hooked.aws.cloud, { billing, ...more }),
    async bills(more: Partial<CloudTarget> = {}): Promise<Bills> {
      const cloud = await hooked.cloud(more)
      const bills = cloud.bills?.()
      if (!bills) throw new Error('the account has no bill')
      return bills
    },
    /** A month's files and their manifest, as Data Exports writes them. */
    month(period: string, files: Record<string, string | Buffer>, run = '', at?: Date) {
      const root = `costs/focus/data/BILLING_PERIOD=${period}/${run}`
      for (const [name, body] of Object.entries(files))
        hooked.bucket.put(`${root}${name}`, body, at)
      const dataFiles = Object.keys(files).map((name) => `s3://bills/${root}${name}`)
      const manifest = `costs/focus/metadata/BILLING_PERIOD=${period}/${run}focus-Manifest.json`
      hooked.bucket.put(manifest, JSON.stringify({ exportName: 'focus', dataFiles }), at)
      return { root, manifest }
    },
  }
  beforeAll(async () => {
    hooked.folder = mkdtempSync(join(tmpdir(), 'bills-'))
    hooked.aws = await startScriptedAws()
    const account = hooked.aws.cloud.answer
    hooked.aws.cloud.answer = (request) =>
      request.method === 'GET' && request.path !== '/'
        ? hooked.bucket.answer(request)
        : account(request)
  })
  beforeEach(() => {
    hooked.aws.reset()
    hooked.bucket = scriptedBucket('bills')
  })
  afterAll(async () => {
    rmSync(hooked.folder, { recursive: true, force: true })
    await hooked.aws.cloud.stop()
  })
  return hooked
}
