import type { Environment } from './environment.ts'
import { Secret } from './secret.ts'

export type DatabaseConfig = Readonly<{
  /** The owner's login. A start migrates with it and creates the logins of API and worker. */
  databaseUrl: Secret
  /** Logins that the operator creates if the owner may not create roles. */
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

/** Requires a database name: PostgreSQL's default is the name of the user, which differs between the logins. */
function readDatabaseUrl(value: string, faults: string[]): string {
  if (value && !(URL.canParse(value) && new URL(value).pathname.length > 1))
    faults.push(`DATABASE_URL is not ${databaseForm}`)
  return value
}
