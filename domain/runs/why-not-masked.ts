import { areMaskable } from './mask-secrets.ts'
import { maxOverrideBytes, maxSensitiveBytes } from '../workspaces/variable-bounds.ts'
import { whyIncomplete, type MaskedPart } from '../secrets/parts-of-secret.ts'
import { whyUnmaskable } from '../secrets/secret-forms.ts'

/** A run's overrides come on top of the workspace's own values. */
const maxMaskedBytes = maxSensitiveBytes + maxOverrideBytes

/** Values up to this size always fit, so their forms are not measured. */
export const alwaysMaskedBytes = 256 * 1024

/**
 * Why the sensitive values of a run cannot all be masked, as a message without any value; undefined if
 * they can. Such a run fails before it prints a line.
 */
export function whyNotMasked(
  secrets: ReadonlyArray<MaskedPart & { key: string }>,
): string | undefined {
  for (const { key, value, isIncomplete } of secrets) {
    if (isIncomplete)
      return `The sensitive variable "${key}" ${whyIncomplete}. Split it into several variables, or make it non-sensitive.`
    const fault = whyUnmaskable(value)
    if (fault !== undefined)
      return `The sensitive variable "${key}" ${fault}. Give it a longer value, or make it non-sensitive.`
  }
  const bytes = secrets.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0)
  const fits =
    bytes <= alwaysMaskedBytes ||
    (bytes <= maxMaskedBytes && areMaskable(secrets.map(({ value }) => value)))
  if (fits) return undefined
  return `The sensitive variables take ${bytes} bytes together and may take ${maxSensitiveBytes}, less where they are full of control or non-English characters: more cannot be masked in logs. Remove some, or make them smaller.`
}
