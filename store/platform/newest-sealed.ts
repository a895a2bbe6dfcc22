import type { PlatformDb } from '../driver/connect.ts'

/** The newest sealed value of each kind, to check that the keyring fits the store. */
export async function newestSealed(db: PlatformDb): Promise<Buffer[]> {
  const { rows } = await db.raw(
    `(select files as sealed from configuration_versions order by id desc limit 1)
     union all (select value from workspace_variables order by id desc limit 1)
     union all (select value from retired_values order by id desc limit 1)
     union all (select body from state_versions where body is not null order by id desc limit 1)
     union all (select body from state_pieces order by state_version_id desc limit 1)
     union all (select private_key from signing_keys where retired_at is null order by id desc limit 1)`,
  )
  return rows.map(({ sealed }: { sealed: Buffer }) => sealed)
}
