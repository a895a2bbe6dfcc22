import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { BillFile, Bills, Cloud, FoundSlice } from '../../../gateways/clouds/cloud.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'

/** A cloud whose account has the bills that a test says, by month. */
export class BilledCloud {
  months: Record<string, string> = {}
  /** Months whose manifest is not there yet. */
  waiting = new Set<string>()
  fault: CloudFault | undefined
  beforeFetch: () => Promise<void> | void = () => undefined
  fetched: string[] = []

  bills(): Bills {
    return {
      find: async () => {
        if (this.fault) throw this.fault
        return Object.keys(this.months)
          .toSorted()
          .map((period) => this.#found(period))
      },
      fetch: async (file, path) => {
        await this.beforeFetch()
        const [period = ''] = file.key.split('/')
        if (this.#file(period).etag !== file.etag)
          throw new CloudFault('changed', 'The file is another one by now.')
        this.fetched.push(file.key)
        await writeFile(path, this.months[period] ?? '')
      },
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
