import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { Places, ResourcePage } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { createPageWalk } from '../page-walk.ts'
import type { AwsAccount } from './aws-account.ts'
import type { AwsSettings } from './aws-settings.ts'
import { checkOwner } from './check-owner.ts'
import { createExplorer, type Explorer } from './explorer.ts'
import { createTagging } from './tagging.ts'

export type AwsInventory = {
  places(signal?: AbortSignal): Promise<Places>
  resources(place: Place, cursor: string | null, signal?: AbortSignal): Promise<ResourcePage>
}

/** A place is a region, by Resource Explorer where it has an index, else by the tagging API. */
export function awsInventory(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  account: AwsAccount,
): AwsInventory {
  const explorer = createExplorer(settings, credentials, account)
  const tagging = createTagging(settings, credentials)
  const checkToken = createPageWalk()

  const page = async (place: Place, cursor: string | null, signal?: AbortSignal) => {
    const { region } = place
    // The cursor names who gave it, so that a place which was begun is ended by the same one.
    const [by, from, ...token] = cursor?.split(' ') ?? []
    const at = cursor === null ? await listedAt(explorer, place, signal) : from
    const next = { token: cursor === null ? undefined : token.join(' '), signal }
    return at && by !== 'tagging'
      ? { by: `explorer ${at}`, ...(await explorer.page({ region, at, ...next })) }
      : { by: `tagging ${region}`, ...(await tagging.page({ region, ...next })) }
  }

  return {
    async places(signal) {
      // Another account's resources in place of this one's: all of this one would be marked gone.
      await checkOwner(settings, account, signal)
      const places = await Promise.all(
        (await regionsOf(settings, account, signal)).map(async (place): Promise<Place> => {
          if (place.state !== 'ok') return place
          const at = await explorer.regionFor(place.region, signal)
          return { ...place, coverage: at === undefined ? 'tagged_only' : 'full' }
        }),
      )
      const seen = places.filter(({ state }) => state === 'ok')
      const isFull = seen.length > 0 && seen.every(({ coverage }) => coverage === 'full')
      return { coverage: isFull ? 'full' : 'tagged_only', places }
    },

    async resources(place, cursor, signal) {
      const { region } = place
      try {
        const { by, resources, token } = await page(place, cursor, signal)
        if (!token) return { resources, next: null }
        const next = `${by} ${token}`
        checkToken(region, cursor, next)
        return { resources, next }
      } catch (error) {
        throw region === settings.home ? error : await switchedOff(error, account, signal)
      }
    },
  }
}

/**
 * The region whose index lists the place; undefined where the tagging API does. As it was noted: in place of a full
 * list, one by tags would have every untagged resource count as gone.
 */
async function listedAt(
  explorer: Explorer,
  { region, coverage }: Place,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (coverage === 'tagged_only') return undefined
  const at = await explorer.regionFor(region, signal)
  if (at === undefined && coverage === 'full') throw new CloudFault('changed', noLonger(region))
  return at
}

const noLonger = (region: string) =>
  `During the sync, Resource Explorer no longer lists ${region} in full. Check its index, its default view and the rights to them. The next sync lists what it can.`

async function regionsOf(
  { target }: AwsSettings,
  account: AwsAccount,
  signal: AbortSignal | undefined,
): Promise<Place[]> {
  const wanted = target.regions
  const place = (region: string): Place => ({ region, service: '', state: 'ok', reason: null })
  try {
    const all = new Map((await account.regions(signal)).map(({ name, isOn }) => [name, isOn]))
    return (wanted ?? [...all.keys()]).map((region) => {
      const isOn = all.get(region)
      if (isOn === undefined)
        return { ...place(region), state: 'failed', reason: 'AWS has no region of this name.' }
      return isOn ? place(region) : { ...place(region), state: 'excluded', reason: regionIsOff }
    })
  } catch (error) {
    const isRefused = error instanceof CloudFault && ['denied', 'excluded'].includes(error.kind)
    if (wanted && isRefused) return wanted.map(place)
    if (!isRefused) throw error
    throw new CloudFault(
      'denied',
      `${error.message} Give it, or name the regions of the account.`,
      error.missing,
    )
  }
}

const regionIsOff = 'This region is switched off for the account.'

/** In a region that is off, AWS does not know the account's keys. Elsewhere it does. */
async function switchedOff(
  error: unknown,
  account: AwsAccount,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (!(error instanceof CloudFault) || error.kind !== 'credentials') return error
  try {
    await account.owner(signal)
    return new CloudFault('excluded', regionIsOff)
  } catch {
    return error
  }
}
