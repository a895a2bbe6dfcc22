import { createHash, randomUUID } from 'node:crypto'
import { stat, writeFile } from 'node:fs/promises'
import type {
  BillFile,
  Bills,
  Cloud,
  FoundSlice,
  Unloaded,
} from '../../../gateways/clouds/cloud.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'

/** A cloud whose account has the bills that a test says, by month. */
export class BilledCloud {
  months: Record<string, string> = {}
  /** Months whose manifest is not there yet. */
  waiting = new Set<string>()
  /** How many of the newest months a look finds, beside those that it asks for. */
  newest = Infinity
  fault: CloudFault | undefined
  beforeFetch: () => Promise<void> | void = () => undefined
  afterFetch: () => Promise<void> | void = () => undefined
  fetched: string[] = []
  /** Each reading has the files of its month written, and deletes them. */
  unloads = false
  written = new Set<string>()

  bills(): Bills {
    return {
      place: 's3://bills/costs/focus/',
      find: async (_, also = []) => {
        if (this.fault) throw this.fault
        return Object.keys(this.months)
          .toSorted()
          .filter((period, at, { length }) => length - at <= this.newest || also.includes(period))
          .map((period) => this.#found(period))
      },
      fetch: async (file, path, progress) => {
        await this.beforeFetch()
        const [period = ''] = file.key.split('/')
        if (this.#file(period).etag !== file.etag)
          throw new CloudFault('changed', 'The file is another one by now.')
        this.fetched.push(file.key)
        // From where the file at `path` ends, as a download does.
        const content = this.months[period] ?? ''
        if (!this.unloads)
          progress.onRemoved?.((await stat(path).catch(() => undefined))?.size ?? 0)
        await writeFile(path, content, { flag: this.unloads ? 'a' : 'w' })
        progress.onBytes(Buffer.byteLength(content))
        await this.afterFetch()
      },
      ...(this.unloads && { unload: async ({ period }: FoundSlice) => this.#unload(period) }),
    }
  }

  #unload(period: string): Unloaded {
    const key = `${period}/${randomUUID()}/bill.csv`
    this.written.add(key)
    return {
      files: [{ ...this.#file(period), key }],
      remove: async () => void this.written.delete(key),
    }
  }

  #file(period: string): BillFile {
    const content = this.months[period] ?? ''
    const etag = createHash('sha256').update(content).digest('hex')
    return { key: `${period}/bill.csv`, size: Buffer.byteLength(content), etag }
  }

  #found(period: string): FoundSlice {
    const file = this.#file(period)
    const isWaiting = this.waiting.has(period)
    return {
      period,
      state: isWaiting ? 'waiting' : 'ready',
      reason: isWaiting ? 'The manifest is not there yet.' : null,
      manifest: `${period}/manifest.json`,
      hash: file.etag,
      rows: null,
      files: [file],
    }
  }

  /** The parts of a cloud that an ingest uses. */
  asCloud(): Cloud {
    const own = { bills: () => this.bills(), close: () => undefined }
    return own as unknown as Cloud
  }
}
