import { areMaskable } from './mask-secrets.ts'
import { maxOverrideBytes, maxSensitiveBytes } from '../workspaces/variable-bounds.ts'
import { whyUnmaskable } from '../secrets/secret-forms.ts'

/** Overrides of a run come on top of what the workspace keeps. */
const maxMaskedBytes = maxSensitiveBytes + maxOverrideBytes

/** So few fit whatever their characters are, so their forms need no look. */
const alwaysMaskedBytes = 256 * 1024

/**
 * Why the sensitive values of a run cannot all be masked, in words for its members and without
 * a value; undefined where they can. Such a run fails before it prints a line.
 */
export function whyNotMasked(
  secrets: ReadonlyArray<{ key: string; value: string }>,
): string | undefined {
  for (const { key, value } of secrets) {
    const fault = whyUnmaskable(value)
    if (fault !== undefined)
      return `The sensitive variable "${key}" ${fault}. Give it a longer value, or make it non-sensitive.`
  }
  const bytes = secrets.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0)
  const fits =
    bytes <= alwaysMaskedBytes ||
    (bytes <= maxMaskedBytes && areMaskable(secrets.map(({ value }) => value)))
  if (fits) return undefined
  return `The sensitive variables of this workspace take ${bytes} bytes together and may take ${maxSensitiveBytes}, less where they are full of control or non-English characters: more cannot be masked in logs. Remove some, or make them smaller.`
}
