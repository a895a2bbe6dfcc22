import { maskSecrets, type Mask } from '../../domain/runs/mask-secrets.ts'

/**
 * A mask of these secrets, which is made at its first text and kept: of 1 MiB of secrets that takes half a second
 * and 50 MB. It is made again only after secrets were added to the list.
 */
export function attemptMask(secrets: readonly string[]): Mask {
  let made: { of: number; mask: Mask } | undefined
  return (text, maxLength) => {
    if (made?.of !== secrets.length) made = { of: secrets.length, mask: maskSecrets(secrets) }
    return made.mask(text, maxLength)
  }
}
