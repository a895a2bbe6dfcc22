import type { CloudFaultKind } from '../../../gateways/clouds/cloud-fault.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import type { Cloud, LendAsked, Lent } from '../../../gateways/clouds/cloud.ts'
import type {
  Coverage,
  FoundResource,
  Place,
  Readable,
} from '../../../domain/clouds/cloud-account.ts'

/** A cloud that lists what a test puts into its regions, `pageSize` resources a page. */
export class ListedCloud implements Cloud {
  regions: Record<string, FoundResource[]> = {}
  /** What a region answers instead, from the page of this number on. */
  faults: Record<string, { kind: CloudFaultKind; fromPage: number }> = {}
  off: string[] = []
  refused: CloudFaultKind | undefined
  pageSize = 2
  coverage: Coverage = 'tagged_only'
  /** With coverage `partial`. */
  readable: Readable[] | undefined
  /** Of single regions, in place of the above. */
  coverages: Record<string, Coverage> = {}
  asked: string[] = []
  /** Called before each page. */
  beforePage: (region: string, page: number) => Promise<void> = async () => undefined

  async places() {
    if (this.refused) throw new CloudFault(this.refused, 'refused by the test')
    const place = (region: string): Place => {
      const coverage = this.coverages[region]
      const { readable } = this
      return {
        region,
        service: '',
        state: 'ok',
        reason: null,
        ...(coverage && { coverage }),
        ...(readable && { readable }),
      }
    }
    return {
      coverage: this.coverage,
      places: [
        ...Object.keys(this.regions).map(place),
        ...this.off.map((region) => ({
          ...place(region),
          state: 'excluded' as const,
          reason: 'This region is switched off for the account.',
        })),
      ],
    }
  }

  async resources({ region }: Place, cursor: string | null) {
    const page = Number(cursor ?? 0)
    this.asked.push(`${region} ${page}`)
    await this.beforePage(region, page)
    const fault = this.faults[region]
    if (fault && page >= fault.fromPage) throw new CloudFault(fault.kind, 'refused by the test')
    const all = this.regions[region] ?? []
    const next = (page + 1) * this.pageSize < all.length ? String(page + 1) : null
    return { resources: all.slice(page * this.pageSize, (page + 1) * this.pageSize), next }
  }

  async validate(): Promise<never> {
    throw new Error('a sync validates nothing')
  }

  async lend(_asked: LendAsked): Promise<Lent | undefined> {
    throw new Error('a sync lends nothing')
  }

  close() {}
}

export const found = (name: string, more: Partial<FoundResource> = {}): FoundResource => ({
  cloudId: `arn:aws:s3:::${name}`,
  service: 's3',
  type: 's3:bucket',
  name,
  region: 'eu-west-1',
  tags: {},
  ...more,
})
