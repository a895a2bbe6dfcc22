import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'

export type PostgresUser = { uid: number; gid: number }

/**
 * The user for PostgreSQL, which refuses to run as root: as root the system user `postgres`, created
 * if it does not exist. Otherwise undefined: PostgreSQL runs as the current user.
 */
export function postgresUser(say: (line: string) => void): PostgresUser | undefined {
  if (userInfo().uid !== 0) return undefined
  const there = lookUp()
  if (there) return there
  say('postgres: running as root, creating the system user "postgres" to run PostgreSQL as')
  const attempts = [
    ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/sh', 'postgres'],
    ['adduser', '-S', '-D', '-H', 'postgres'],
  ]
  for (const [program = '', ...rest] of attempts) {
    spawnSync(program, rest, { stdio: 'ignore' })
    const made = lookUp()
    if (made) return made
  }
  throw new Error(
    'PostgreSQL does not run as root, and the user "postgres" cannot be created: create it, start as another user, or set DATABASE_URL',
  )
}

/** Whether the user may traverse the folder and all its parents. */
export function canReach(user: PostgresUser, folder: string): boolean {
  const check = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], {
    ...user,
    stdio: 'ignore',
    cwd: '/',
  })
  return check.status === 0
}

function lookUp(): PostgresUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout || NaN),
  )
  return uid && gid ? { uid, gid } : undefined
}
