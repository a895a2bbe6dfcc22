import type { Environment } from './environment.ts'
import { Secret } from './secret.ts'

export type DatabaseConfig = Readonly<{
  /** Of the owner: for migrations and the logins of API and worker, who use it for nothing else. */
  databaseUrl: Secret
  /** Logins of the operator's own, where the owner may make none. */
  databaseAppUrl: Secret | undefined
  databasePlatformUrl: Secret | undefined
  databasePoolSize: number
}>

const databaseForm = 'postgres://user:password@host/db'

export function readDatabase({ faults, need, number, secret }: Environment): DatabaseConfig {
  const url = need('DATABASE_URL', `npm start sets it; else ${databaseForm}`)
  return {
    databaseUrl: new Secret(readDatabaseUrl(url, faults)),
    databaseAppUrl: secret('CC_DATABASE_APP_URL'),
    databasePlatformUrl: secret('CC_DATABASE_PLATFORM_URL'),
    databasePoolSize: number('CC_DATABASE_POOL', 10),
  }
}

/** The database is named: without that it would be the one that is called as whoever logs in. */
function readDatabaseUrl(value: string, faults: string[]): string {
  if (value && !(URL.canParse(value) && new URL(value).pathname.length > 1))
    faults.push(`DATABASE_URL is not ${databaseForm}`)
  return value
}
