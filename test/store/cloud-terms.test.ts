import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Secret } from '../../config.ts'
import { connectOwner } from '../../store/driver/connect.ts'

let owner: Knex
beforeAll(() => {
  owner = connectOwner(new Secret(inject('templateUrl')))
})
afterAll(async () => owner.destroy())

const tags = { env: 'prod', Ü: 'ö\\', 'a=b': '', '': 'c', none: null, list: [1, { x: 2 }] }

test.each([
  ['an ARN', 'web-1', 'arn:aws:ec2:eu-west-1:123456789012:instance/i-0ABC'],
  [
    'a name that is a part of the id',
    'I-0abc',
    'arn:aws:ec2:eu-west-1:123456789012:instance/i-0ABC',
  ],
  ['characters of several bytes', 'ключ 🔑', 'arn:aws:s3:::値値\u{1F511}x'],
  ['one such character', 'web', 'arn:aws:s3:::bücket'],
  ['backslashes and quotes', String.raw`a\\b\x41`, String.raw`c:\n'"\000`],
  ['three characters', '', 'abc'],
  ['two characters', 'ab', 'ab'],
  ['nothing', '', ''],
])('the terms of a resource are those that a search looks for: %s', async (_, name, cloudId) => {
  const { rows } = await owner.raw(termsOf, { name, cloudId, tags: JSON.stringify(tags) })
  expect(rows[0].terms).toEqual(rows[0].expected)
})

/** The plain definition, by the function that a search calls for each of its terms. */
const termsOf = `
  with resource as (
    select cast(:name as text) as name, cast(:cloudId as text) as cloud_id, cast(:tags as jsonb) as tags,
      md5(:cloudId)::uuid as cloud_key),
  lowered as (
    select case when strpos(lower(cloud_id), lower(name)) = 0
      then lower(name) || E'\\n' || lower(cloud_id) else lower(cloud_id) end as text from resource),
  expected as (
    select cloud_term(7, 'x', substr(text, i, 3)) as term from lowered, generate_series(1, length(text) - 2) i
    union all
    select cloud_term(7, kind, value) from resource, lateral (values ('a', '4'), ('p', 'aws'), ('s', 'ec2'),
      ('t', 'ec2:instance'), ('r', 'eu-west-1'), ('e', 'present'), ('b', left(cloud_key::text, 2))) f (kind, value)
    union all select cloud_term(7, 'k', key) from resource, jsonb_each_text(tags)
    union all select cloud_term(7, 'v', key || '=' || value) from resource, jsonb_each_text(tags))
  select (select array_agg(t::text order by t) from resource r, unnest(cloud_terms(7, 4, 'aws', 'ec2',
      'ec2:instance', 'eu-west-1', 'present', r.tags, r.name, r.cloud_id, r.cloud_key)) t) as terms,
    (select array_agg(term::text order by term) from expected) as expected`
