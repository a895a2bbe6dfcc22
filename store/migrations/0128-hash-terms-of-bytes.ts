import type { Knex } from 'knex'

/**
 * The same terms of a resource in half the time (docs/decisions/0203). A part of a text is found by counting its
 * characters from the start, a part of bytes at once, and most names and ids are ASCII. PostgreSQL hashes bytes from 18
 * on; an older one keeps the function that it has. The values are the same, so the index stays.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    `select current_setting('server_version_num')::integer >= 180000 as "hashesBytes"`,
  )
  if (rows[0].hashesBytes) await knex.raw(terms)
}

const terms = `
  create or replace function cloud_terms(organization integer, account integer, provider text, service text, type text,
    region text, state text, tags jsonb, name text, cloud_id text, cloud_key uuid) returns bigint[]
    language plpgsql immutable parallel safe
    as $$
  declare
    high constant bigint := organization::bigint << 32;
    low constant bigint := 4294967295;
    lowered text := lower(cloud_id);
    bytes bytea;
    terms bigint[];
    k text;
    v text;
  begin
    if strpos(lowered, lower(name)) = 0 then
      lowered := lower(name) || E'\\n' || lowered;
    end if;
    terms := array[
      high | (hashtextextended('a' || account, 0) & low), high | (hashtextextended('p' || provider, 0) & low),
      high | (hashtextextended('s' || service, 0) & low), high | (hashtextextended('t' || type, 0) & low),
      high | (hashtextextended('r' || region, 0) & low), high | (hashtextextended('e' || state, 0) & low),
      high | (hashtextextended('b' || left(cloud_key::text, 2), 0) & low)];
    -- Loops over expressions: a query for all of them takes as long as the hashes.
    if octet_length(lowered) = length(lowered) then
      bytes := convert_to(lowered, 'UTF8');
      for i in 1..length(bytes) - 2 loop
        terms[i + 7] := high | (hashbyteaextended('x'::bytea || substring(bytes, i, 3), 0) & low);
      end loop;
    else
      for i in 1..length(lowered) - 2 loop
        terms[i + 7] := high | (hashtextextended('x' || substr(lowered, i, 3), 0) & low);
      end loop;
    end if;
    for k, v in select key, value from jsonb_each_text(tags) loop
      terms := terms || array[
        high | (hashtextextended('k' || k, 0) & low), high | (hashtextextended('v' || k || '=' || v, 0) & low)];
    end loop;
    return terms;
  end $$`
