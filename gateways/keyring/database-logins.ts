import { Secret, type Config } from '../../config.ts'
import { createKeyring } from './keyring.ts'

export type DatabaseLogin = {
  url: Secret
  /** Set if the service creates the login. */
  made?: { name: string; password: Secret }
}

/** The logins of the pools: one for each role. */
export type DatabaseLogins = { cc_app: DatabaseLogin; cc_platform: DatabaseLogin }

type Source = Pick<Config, 'databaseUrl' | 'databaseAppUrl' | 'databasePlatformUrl' | 'keyring'>

/**
 * Name and password are derived from the keyring and the database's name, so each process computes them.
 * Roles belong to the whole server, so two databases on it never share a login.
 */
export function databaseLogins(config: Source): DatabaseLogins {
  const { databaseUrl, databaseAppUrl, databasePlatformUrl } = config
  const keyring = createKeyring(config.keyring)
  const login = (role: string, given: Secret | undefined): DatabaseLogin => {
    if (given) return { url: given }
    const database = databaseOf(databaseUrl)
    const place = `${role} ${database}`
    const name = `${role}_${keyring.mac('database-login-name', place).toString('hex', 0, 8)}`
    const password = keyring.mac('database-login-password', place).toString('base64url')
    return {
      url: withCredentials(databaseUrl, name, password),
      made: { name, password: new Secret(password) },
    }
  }
  return {
    cc_app: login('cc_app', databaseAppUrl),
    cc_platform: login('cc_platform', databasePlatformUrl),
  }
}

const databaseOf = (databaseUrl: Secret): string =>
  decodeURIComponent(new URL(databaseUrl.reveal()).pathname.slice(1))

function withCredentials(databaseUrl: Secret, name: string, password: string): Secret {
  const url = new URL(databaseUrl.reveal())
  // The driver prefers these two, where they are, to those before the host.
  url.searchParams.delete('user')
  url.searchParams.delete('password')
  if (url.hostname) {
    url.username = name
    url.password = password
  } else {
    // A socket: what has no host can name nobody before it.
    url.searchParams.set('user', name)
    url.searchParams.set('password', password)
  }
  return new Secret(url.href)
}
