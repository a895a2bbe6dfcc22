import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Environment } from './environment.ts'
import { Secret } from './secret.ts'

/** Key ids with 256-bit keys. The first key is the current one. */
export type KeyringConfig = ReadonlyArray<{ id: string; key: Secret }>

/** Whether the keys are in the file that the first start writes beside the data (scripts/start/prepare-sources.ts). */
export const isGeneratedKeyring = ({ values }: Environment): boolean =>
  values['CC_KEYRING'] === `@${join(resolve(values['CC_DATA_DIR'] ?? '.data'), 'keyring')}`

/** `CC_KEYRING` is `id=base64,id=base64` (32 bytes each), or `@/path` of a file with that content. */
export function readKeyring({ values, faults }: Environment): KeyringConfig {
  const setting = values['CC_KEYRING']
  if (!setting) {
    faults.push(
      'CC_KEYRING is not set: id=<32 bytes, base64>, the current key first, or @/path/of/file',
    )
    return []
  }
  let text = setting
  if (setting.startsWith('@')) {
    try {
      text = readFileSync(setting.slice(1), 'utf8')
    } catch {
      faults.push(`CC_KEYRING names ${setting.slice(1)}, which cannot be read`)
      return []
    }
  }
  return text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .flatMap((entry) => {
      const at = entry.indexOf('=')
      const id = entry.slice(0, at)
      const key = entry.slice(at + 1)
      if (
        at < 1 ||
        !/^[A-Za-z0-9._-]{1,32}$/.test(id) ||
        Buffer.from(key, 'base64').length !== 32
      ) {
        faults.push(`CC_KEYRING: the entry "${id.slice(0, 32)}" is not <id>=<32 bytes in base64>`)
        return []
      }
      return [{ id, key: new Secret(key) }]
    })
}
