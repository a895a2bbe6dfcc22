import type { Knex } from 'knex'

/**
 * Whether an inviter was shown the link of an invitation, where no mail is sent: it ends once the invited person is
 * promoted, also by their groups, for the inviter could come in with what nobody gave them. Of links from before it is
 * not known, so they count as shown.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table user_tokens add column shown boolean not null default true;
    alter table user_tokens alter column shown set default false;
  `)
}
