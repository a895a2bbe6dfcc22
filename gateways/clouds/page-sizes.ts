import { AnswerTooLarge } from './cloud-fault.ts'

/**
 * Asks for pages of `most` resources, and for smaller ones from the first answer on that is larger than is
 * read: how large a page is depends on its tags, of which only the cloud knows.
 */
export function createPageSizes(most: number) {
  let size = most
  return async <P>(page: (size: number) => Promise<P>): Promise<P> => {
    for (;;) {
      const asked = size
      try {
        return await page(asked)
      } catch (error) {
        if (!(error instanceof AnswerTooLarge) || asked === 1) throw error
        size = Math.max(1, Math.min(size, Math.floor(asked / 4)))
      }
    }
  }
}
