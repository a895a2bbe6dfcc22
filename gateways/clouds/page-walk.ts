import { CloudFault } from './cloud-fault.ts'

/**
 * Notices a cloud that returns a page token for a second time: following it would never end. A page that is
 * asked for twice, after a crash, is no repetition.
 */
export function createPageWalk(): (place: string, cursor: string | null, next: string) => void {
  const walks = new Map<string, Map<string, number>>()
  return (place, cursor, next) => {
    let order = walks.get(place)
    if (cursor === null || !order) {
      order = new Map()
      walks.set(place, order)
    }
    const at = cursor === null ? 0 : (order.get(cursor) ?? 0)
    const known = order.get(next)
    if (next === cursor || (known !== undefined && known <= at))
      throw new CloudFault('page_token', 'The cloud repeats a page token, so its list has no end.')
    order.set(next, at + 1)
  }
}
