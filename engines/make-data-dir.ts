import { chmodSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'

/**
 * Creates the data directory, accessible only to its owner. As root the mode is 711: PostgreSQL then
 * runs as another user, who must traverse the directory. An existing directory keeps its mode.
 */
export function makeDataDir(path: string): void {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 })
  // Independent of the umask.
  if (made) chmodSync(path, userInfo().uid === 0 ? 0o711 : 0o700)
}
