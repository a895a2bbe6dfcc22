import { chmodSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'

/**
 * Makes the data directory for its owner alone. As root others may pass through it, since
 * PostgreSQL runs as another user then, and cannot list it. One that exists keeps its mode.
 */
export function makeDataDir(path: string): void {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 })
  // Whatever the umask.
  if (made) chmodSync(path, userInfo().uid === 0 ? 0o711 : 0o700)
}
