import type { Knex } from 'knex'

/**
 * An anomaly is shown from the first day of it and those below it, and the list is in that order. The index was of its
 * own first day.
 */
export async function up(knex: Knex): Promise<void> {
  // The first day of those below it; null without any.
  await knex.raw('alter table anomalies add column first_day_below date')
  await noteDaysBelow(knex)
  await knex.raw(`
    drop index anomalies_days;
    create index anomalies_days on anomalies (organization_id, (least(first_day, first_day_below)), id)`)
}

export async function noteDaysBelow(knex: Knex): Promise<void> {
  await knex.raw(`
    update anomalies a set first_day_below = c.first_day
    from (select organization_id, parent_id, min(first_day) as first_day from anomalies
      where parent_id is not null group by 1, 2) c
    where a.organization_id = c.organization_id and a.id = c.parent_id`)
}
